import type { CallAccess } from '#core/auth/session.tsx'

export interface EmptyHint {
  /** Explanation of the list for first-time users. */
  readonly hint?: string
  /** Endpoint that the hint asks to use. */
  readonly needs?: CallAccess
  /** Replaces the hint when the account may not call `needs`: says whom to ask. */
  readonly otherwise?: string
}

/** Returns the hint of an empty list: `hint` if the account may do what it says, else `otherwise`. */
export const buildEmptyHint = ({ hint, needs, otherwise }: EmptyHint, mayCall: (to: CallAccess) => boolean) =>
  needs && otherwise && !mayCall(needs) ? otherwise : hint
