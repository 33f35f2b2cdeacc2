import { testIncidents } from '../support/scenario/incidents.js';

testIncidents(0);
