package org.gdpkernel;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.util.Map;

/**
 * Certified differential-privacy accounting by libgdp and JNA: {@code new Gdp("libgdp.so").epsilon(run, 1e-5)}. Any thread may ask; one is
 * answered at a time.
 */
public final class Gdp implements AutoCloseable {
  /** Two numbers between which the exact one lies. */
  public record Bracket(double lower, double upper) {}

  /** A question that was refused: why, in a sentence. */
  public static final class Refused extends IllegalArgumentException {
    public final int code;

    Refused(int code, String message) {
      super(message);
      this.code = code;
    }
  }

  private interface Lib extends Library {
    Pointer gdp_open();

    Pointer gdp_ask_within(Pointer it, String request, double seconds);

    void gdp_interrupt(Pointer it);

    void gdp_free(Pointer text);

    void gdp_close(Pointer it);
  }

  private static final ObjectMapper JSON = new ObjectMapper();
  private final Lib lib;
  private final Pointer it;

  /** Loads the library from a path, or by its name from {@code jna.library.path}. */
  public Gdp(String library) {
    lib = Native.load(library, Lib.class, Map.of(Library.OPTION_STRING_ENCODING, "UTF-8"));
    it = lib.gdp_open();
    if (it == null) throw new OutOfMemoryError("no memory for an accountant");
  }

  /** One request of the protocol of {@code gdp serve}; after so many seconds, if above 0, its response is an error. */
  public String askText(String request, double seconds) {
    var said = lib.gdp_ask_within(it, request, seconds);
    if (said == null) throw new OutOfMemoryError("no memory for an answer");
    try {
      return said.getString(0, "UTF-8");
    } finally {
      lib.gdp_free(said);
    }
  }

  /** Cancels the question that is being answered, from another thread. */
  public void interrupt() {
    lib.gdp_interrupt(it);
  }

  /** The answer of any command of {@code gdp}, with its options as it names them. */
  public JsonNode ask(String method, Map<String, ?> params) {
    try {
      var request = Map.of("jsonrpc", "2.0", "id", 1, "method", method, "params", params);
      var response = JSON.readTree(askText(JSON.writeValueAsString(request), 0));
      if (response.has("error")) throw new Refused(response.at("/error/code").asInt(), response.at("/error/message").asText());
      return response.get("result").has("answer") ? response.at("/result/answer") : response.at("/result/text");
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** ε of a run, in any form that {@code gdp} reads, at δ. */
  public Bracket epsilon(Map<String, ?> run, double delta) {
    return bracket(ask("epsilon", Map.of("input", run, "delta", delta)).get("epsilon"));
  }

  /** δ of a run at ε. */
  public Bracket delta(Map<String, ?> run, double epsilon) {
    return bracket(ask("delta", Map.of("input", run, "epsilon", epsilon)).get("delta"));
  }

  /** Nobody may be asking. */
  @Override
  public void close() {
    lib.gdp_close(it);
  }

  /** JSON has no infinity: it comes as text. */
  private static Bracket bracket(JsonNode of) {
    return new Bracket(Double.parseDouble(of.get("lower").asText()), Double.parseDouble(of.get("upper").asText()));
  }
}
