import { z } from "zod";

const Sample = z.object({
  name: z.string().meta({ description: "The metric's name, for a histogram with a suffix" }),
  labels: z.record(z.string(), z.string()),
  value: z.number(),
}).meta({ id: "MetricSample" });

export const Metrics = z.object({
  metrics: z.array(
    z.object({
      name: z.string(),
      type: z.enum(["counter", "gauge", "histogram"]),
      help: z.string(),
      samples: z.array(Sample),
    }).meta({ id: "Metric" }),
  ),
}).meta({ id: "Metrics" });
