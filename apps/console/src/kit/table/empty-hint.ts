import type { CallAccess } from '#core/auth/session.tsx'

export interface EmptyHint {
  /** Explanation of the list for first-time users. */
  readonly hint?: string
  /** Endpoint that the hint asks to use. */
  readonly needs?: CallAccess
  /** Replaces the hint when the account may not call `needs`: says whom to ask. */
  readonly otherwise?: string
  /** Replaces `otherwise` for staff of the platform, who provide what a tenant asks for. */
  readonly forPlatform?: string
}

/** Returns the hint of an empty list: `hint` if the account may do what it says, else whom to ask. */
export function buildEmptyHint(
  { hint, needs, otherwise, forPlatform = otherwise }: EmptyHint,
  mayCall: (to: CallAccess) => boolean,
  isPlatform: boolean,
) {
  if (!needs || !otherwise || mayCall(needs)) return hint
  return isPlatform ? forPlatform : otherwise
}
