/** Words of a status with the values 1 and 0: the names of both values, and the verbs of the calls that set them. */
export interface StatusWords {
  readonly on: string
  readonly off: string
  readonly enable: string
  readonly disable: string
}

/** Words of every status that is declared without words of its own. */
export const ENABLED_WORDS = { on: '启用', off: '停用', enable: '启用', disable: '停用' } as const satisfies StatusWords

/** Returns the labels of a status for `choice`. */
export const buildStatusLabels = <const W extends StatusWords>({ on, off }: W) =>
  ({ 1: on, 0: off }) as { readonly 1: W['on']; readonly 0: W['off'] }
