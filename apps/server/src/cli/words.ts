import { parseArgs, type ParseArgsConfig } from 'node:util'
import { CommandError } from './command.ts'

/** Reads a command's words; a wrong one is named in one line instead of a stack. */
export function words<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  usage: string,
  options: O,
) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    const [first, ...rest] = positionals
    if (first !== undefined && rest.length === 0) return { first, values }
  } catch (error) {
    const option = error instanceof Error ? /'(-[^' ]*)/.exec(error.message)?.[1] : undefined
    throw new CommandError(`${option ? `选项 ${option} 不正确` : '参数不正确'}；用法：npm run oms -- ${usage}`)
  }
  throw new CommandError(`用法：npm run oms -- ${usage}`)
}
