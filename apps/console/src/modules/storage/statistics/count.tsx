import { PermittedLink } from '#kit/record/known-link.tsx'

/** A figure with a link to its rows; zero has no link. */
export const CountLink = ({ n, to }: { n: number; to: string }) =>
  n > 0 ? <PermittedLink to={to}>{n.toLocaleString()}</PermittedLink> : '0'
