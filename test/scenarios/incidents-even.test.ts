import { testIncidents } from '../support/incidents.js';

testIncidents(0);
