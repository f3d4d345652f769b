/** One word after `npm run oms --`. */
export type Command = {
  /** May be two words: `user create`. */
  readonly name: string
  readonly usage: string
  readonly summary: string
  readonly run: (args: readonly string[], context: CommandContext) => Promise<void>
}

export type CommandContext = {
  readonly env: Record<string, string | undefined>
  readonly print: (line: string) => void
}

/** The command cannot be done; the message is the whole line printed. */
export class CommandError extends Error {
  override name = 'CommandError'
}
