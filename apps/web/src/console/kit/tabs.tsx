/** The parts of a screen, each with an address of its own. */
import { href } from "../../router.ts";

export function Tabs(
  { label, tabs, current }: {
    label: string;
    tabs: readonly (readonly [address: string, name: string])[];
    current: string;
  },
) {
  return (
    <nav aria-label={label}>
      <ul class="console-tabs">
        {tabs.map(([address, name]) => (
          <li key={address}>
            <a href={href(address)} aria-current={address === current ? "page" : undefined}>{name}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
