/** A command of `npm run oms --`. */
export type Command = {
  /** Name of one or two words: `user create`. */
  readonly name: string
  readonly usage: string
  readonly summary: string
  readonly run: (args: readonly string[], context: CommandContext) => Promise<void>
}

export type CommandContext = {
  readonly env: Record<string, string | undefined>
  readonly print: (line: string) => void
}

/** The command failed. The message is the complete line that is printed. */
export class CommandError extends Error {
  override name = 'CommandError'
}
