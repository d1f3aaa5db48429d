/** The picture of a badge. The name stands beside it, so it is decoration. */
export function Medal() {
  return (
    <svg class="medal" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M8 1h8l-2 9h-4z" fill="var(--brand)" />
      <circle cx="12" cy="15.5" r="7" fill="var(--medal)" stroke="var(--medal-edge)" />
      <path d="M12 11l1.3 2.8 3 .4-2.2 2.1.5 3L12 17.9l-2.6 1.4.5-3-2.2-2.1 3-.4z" fill="var(--medal-star)" />
    </svg>
  );
}
