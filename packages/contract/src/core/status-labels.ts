/**
 * Labels of a status with the values 1 and 0: the names of both values, and the verbs of the calls that set the values.
 */
export interface StatusLabels {
  readonly on: string
  readonly off: string
  readonly enable: string
  readonly disable: string
}

/** Labels of every status that is declared without labels of its own. */
export const ENABLED_LABELS = {
  on: '启用',
  off: '停用',
  enable: '启用',
  disable: '停用',
} as const satisfies StatusLabels

/** Returns the names of both values of a status by code, for `choice`. */
export const buildStatusChoices = <const W extends StatusLabels>({ on, off }: W) =>
  ({ 1: on, 0: off }) as { readonly 1: W['on']; readonly 0: W['off'] }
