package org.gdpkernel;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** hosts/java as a door (ask.py). */
final class Answer {
  public static void main(String[] words) throws IOException {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try (var gdp = new Gdp(words[0])) {
      for (String line; (line = in.readLine()) != null; ) out.println(gdp.askText(line, 0));
    }
  }
}
