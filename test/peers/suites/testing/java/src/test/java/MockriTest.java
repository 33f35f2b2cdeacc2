import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
              "--control", "0.0.0.0:" + CONTROL, "--control-allow-remote",
              "--control-host", mockri.getHost(), "--referee", "warn")
          .waitingFor(Wait.forHttp("/healthz").forPort(CONTROL))
          .start();
      String endpoint = mockri.getHost() + ":" + mockri.getMappedPort(CRI);
      String control = "http://" + mockri.getHost() + ":" + mockri.getMappedPort(CONTROL);

      ask(HttpRequest.newBuilder(URI.create(control + "/v1/faults"))
          .POST(BodyPublishers.ofString("{\"shorthand\": \"Version=1*error(UNAVAILABLE)\"}")));
      runTheClient(endpoint);
      String calls = ask(HttpRequest.newBuilder(
          URI.create(control + "/v1/calls?method=Version&code=OK&wait=10s")));
      assertTrue(calls.contains("\"Version\""), "the client asked again after the failure: " + calls);
    }
  }

  private static String ask(HttpRequest.Builder request) throws Exception {
    var response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    assertTrue(response.statusCode() < 300, response.body());
    return response.body();
  }

  /** The client under test: it asks for the version until the runtime is available. */
  private static void runTheClient(String endpoint) {
    ManagedChannel channel = ManagedChannelBuilder.forTarget(endpoint).usePlaintext().build();
    try {
      while (true) {
        try {
          ClientCalls.blockingUnaryCall(channel, VERSION, CallOptions.DEFAULT, new byte[0]);
          return;
        } catch (StatusRuntimeException error) {
          if (error.getStatus().getCode() != Status.Code.UNAVAILABLE) throw error;
        }
      }
    } finally {
      channel.shutdownNow();
    }
  }

  /** Messages as bytes. The classes that protoc makes of api.proto have methods and messages with names. */
  private static final MethodDescriptor<byte[], byte[]> VERSION =
      MethodDescriptor.newBuilder(new Bytes(), new Bytes())
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("runtime.v1.RuntimeService/Version")
          .build();

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] message) {
      return new ByteArrayInputStream(message);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }
  }
}
