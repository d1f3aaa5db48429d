/** Parameters common to several routes, by their names in `components/parameters` of the contract. */
import { z } from "zod";

export const sharedParameters = z.registry<{ id: string }>();
