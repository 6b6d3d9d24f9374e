package org.gdpkernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Asks the library that is named; with a file of requests it answers each of its lines. */
public final class Example {
  public static void main(String[] words) throws IOException {
    try (var gdp = new Gdp(words[0])) {
      if (words.length > 1) {
        for (var line : Files.readAllLines(Path.of(words[1]))) System.out.println(gdp.askText(line, 0));
        return;
      }
      System.out.println(gdp.epsilon(Map.of("history", List.of(List.of(1.1, 0.01, 1000))), 1e-5));
      try {
        gdp.epsilon(Map.of("history", List.of(List.of(1.1, 2, 1000))), 1e-5);
      } catch (Gdp.Refused refused) {
        System.out.println(refused.getMessage());
      }
    }
  }
}
