package org.gdpkernel;

import java.util.List;
import java.util.Map;

final class Example {
  public static void main(String[] words) {
    try (var gdp = new Gdp("./libgdp.so")) {
      var epsilon = gdp.epsilon(Map.of("history", List.of(List.of(1.1, 0.01, 1000))), 1e-5);
      System.out.println(epsilon.lower() + " " + epsilon.upper());
      gdp.epsilon(Map.of("history", List.of(List.of(1.1, 2, 1000))), 1e-5);
    } catch (Gdp.Refused refused) {
      System.out.println(refused.getMessage());
    }
  }
}
