import { z } from "zod";

export const AppleAppSiteAssociation = z.object({
  applinks: z.object({
    details: z.array(z.object({
      appIDs: z.array(z.string()).meta({ examples: [["ABCDE12345.com.example.parking"]] }),
      components: z.array(z.object({
        "/": z.string().meta({ description: "Paths that open in the app", examples: ["/parking-lots/*"] }),
        comment: z.string().optional(),
      })),
    })),
  }),
  webcredentials: z.object({ apps: z.array(z.string()) }),
}).meta({ id: "AppleAppSiteAssociation" });

export const AssetLinks = z.array(z.object({
  relation: z.array(z.string()),
  target: z.object({
    namespace: z.string(),
    package_name: z.string(),
    sha256_cert_fingerprints: z.array(z.string()),
  }),
})).meta({ id: "AssetLinksResponse" });
