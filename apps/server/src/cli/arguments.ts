import { parseArgs, type ParseArgsConfig } from 'node:util'
import { CommandError } from './command.ts'

type Options = NonNullable<ParseArgsConfig['options']>

/**
 * Parses the single positional argument and the options of a command. Prints invalid arguments in one line without a
 * stack.
 */
export function parseArguments<const O extends Options>(args: readonly string[], usage: string, options: O) {
  const { positionals, values } = read(args, usage, options)
  const [first, ...rest] = positionals
  if (first === undefined || rest.length > 0) throw new CommandError(`用法：npm run oms -- ${usage}`)
  return { first, values }
}

/** Parses the options of a command without positional arguments. */
export function parseOptions<const O extends Options>(args: readonly string[], usage: string, options: O) {
  const { positionals, values } = read(args, usage, options)
  if (positionals.length > 0)
    throw new CommandError(`不认识的参数 ${positionals.join(' ')}；用法：npm run oms -- ${usage}`)
  return values
}

function read<const O extends Options>(args: readonly string[], usage: string, options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    const option = error instanceof Error ? /'(-[^' ]*)/.exec(error.message)?.[1] : undefined
    throw new CommandError(`${option ? `选项 ${option} 不正确` : '参数不正确'}；用法：npm run oms -- ${usage}`)
  }
}
