import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

class MockriTest {
  private static final int CRI = 10011;
  private static final int CONTROL = 10350;

  @Test
  void theClientTriesAgain() throws Exception {
    try (GenericContainer<?> mockri = new GenericContainer<>("mockri:latest")) {
      mockri
          .withExposedPorts(CRI, CONTROL)
          .withCommand(
              "serve", "--listen", "tcp://0.0.0.0:" + CRI,
              "--control", "0.0.0.0:" + CONTROL, "--control-allow-remote", "--referee", "warn")
          .waitingFor(Wait.forHttp("/healthz").forPort(CONTROL))
          .start();
      String endpoint = mockri.getHost() + ":" + mockri.getMappedPort(CRI);
      String control = "http://" + mockri.getHost() + ":" + mockri.getMappedPort(CONTROL);

      ask(HttpRequest.newBuilder(URI.create(control + "/v1/faults"))
          .POST(BodyPublishers.ofString("{\"shorthand\": \"PullImage=1*error(UNAVAILABLE)\"}")));
      runTheClient(endpoint);
      String calls = ask(HttpRequest.newBuilder(
          URI.create(control + "/v1/calls?method=PullImage&code=OK&wait=10s")));
      assertTrue(calls.contains("\"PullImage\""), "the client pulled after the failure: " + calls);
    }
  }

  private static String ask(HttpRequest.Builder request) throws Exception {
    var response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    assertTrue(response.statusCode() < 300, response.body());
    return response.body();
  }

  /** The client under test, such as a stub that protoc made of the CRI's api.proto. */
  private static void runTheClient(String endpoint) {}
}
