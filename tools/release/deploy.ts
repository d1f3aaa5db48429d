/**
 * `deno task deploy --project <ref> [--dry-run] [--untagged] [--env-file <path>]`: brings the commit of this folder to a
 * Supabase project.
 *
 * All checks run first. Then the steps run in order, and the first failure ends the deployment. Each step may be repeated, so
 * the way on after a failure is the same command. `--dry-run` checks and prints the steps, and sends nothing.
 */
import { parseArgs } from "node:util";
import { readConfig } from "../../local/config.ts";
import { ROOT } from "../../local/settings.ts";
import { checkDatabase, commitProblems } from "./deployment/checks.ts";
import { functionSettings, readSettings, readValues, type Settings, withoutSecrets } from "./deployment/settings.ts";
import { functionNames, type Step, stepsOf } from "./deployment/steps.ts";
import { Refusal } from "./rules.ts";

const USAGE = "deno task deploy --project <ref> [--dry-run] [--untagged] [--env-file <path>]";

interface Arguments {
  readonly project: string;
  readonly isDryRun: boolean;
  readonly isUntagged: boolean;
  readonly envFile: string | undefined;
}

function readArguments(): Arguments {
  try {
    const { values } = parseArgs({
      args: Deno.args.filter((word) => word !== "--"),
      options: {
        project: { type: "string" },
        "dry-run": { type: "boolean", default: false },
        untagged: { type: "boolean", default: false },
        "env-file": { type: "string" },
      },
    });
    const { project = "", "dry-run": isDryRun, untagged: isUntagged, "env-file": envFile } = values;
    if (/^[a-z]{20}$/.test(project)) return { project, isDryRun, isUntagged, envFile };
  } catch {
    // An unknown option.
  }
  throw new Refusal(`Usage: ${USAGE}\n<ref> is the project's reference of twenty lower-case letters.`);
}

/** Runs all checks. Throws a `Refusal` with everything that stands against the deployment. */
async function check(
  { project, isUntagged, envFile }: Arguments,
): Promise<{ settings: Settings; pending: readonly string[] }> {
  console.log("Checks:");
  const say = (line: string) => console.log(`  ${line}`);
  say(`commit: no changes${isUntagged ? "" : ", and a version tag"}`);
  const problems = await commitProblems(ROOT, isUntagged);
  say("settings: complete");
  const read = readSettings(project, await readValues(envFile), await functionSettings(ROOT));
  if ("problems" in read) throw refused([...problems, ...read.problems]);
  const { settings } = read;
  try {
    const database = await checkDatabase(settings, ROOT, say);
    problems.push(...database.problems);
    if (problems.length === 0) return { settings, pending: database.pending };
  } catch (error) {
    problems.push(`The database could not be checked: ${messageOf(error)}`);
  }
  throw refused(problems.map((problem) => withoutSecrets(problem, settings)));
}

function refused(problems: readonly string[]): Refusal {
  return new Refusal(`${problems.map((problem) => `- ${problem}`).join("\n")}\nNothing was sent.`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function describe(steps: readonly Step[], settings: Settings): void {
  for (const [index, { name, command, sends }] of steps.entries()) {
    console.log(withoutSecrets(`\n${index + 1}. ${name}\n   ${command}`, settings));
    for (const line of sends) console.log(withoutSecrets(`   - ${line}`, settings));
  }
  console.log("\nNothing was sent.");
}

async function deploy(steps: readonly Step[], settings: Settings): Promise<void> {
  const done: string[] = [];
  for (const [index, step] of steps.entries()) {
    console.log(`\n${index + 1}. ${step.name}`);
    try {
      for (const line of await step.run()) console.log(withoutSecrets(`   ${line}`, settings));
    } catch (error) {
      throw new Refusal(withoutSecrets(
        [
          `\nThe step "${step.name}" failed:\n${messageOf(error)}`,
          `\nDone: ${done.join(", ") || "nothing"}. Not done: ${
            steps.slice(index).map(({ name }) => name).join(", ")
          }.`,
          "Remove the cause, and run the same command again. Steps that are done change nothing when they are repeated.",
        ].join("\n"),
        settings,
      ));
    }
    done.push(step.name);
  }
  console.log(`\nDeployed to ${settings.project}.`);
}

async function main(): Promise<void> {
  const given = readArguments();
  const { settings, pending } = await check(given);
  const buckets = (await readConfig()).buckets.map(({ name }) => name);
  const steps = stepsOf({ settings, root: ROOT, pending, functions: functionNames(ROOT), buckets });
  if (given.isDryRun) describe(steps, settings);
  else await deploy(steps, settings);
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    Deno.exit(1);
  }
  Deno.exit();
}
