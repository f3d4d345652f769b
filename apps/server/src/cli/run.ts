import { backupCommand } from './backup-command.ts'
import { checkCommand } from './check.ts'
import { type Command, type CommandContext, CommandError } from './command.ts'
import { migrateCommand } from './migrate.ts'
import { otaVerifyCommand } from './ota.ts'
import { restoreCommand } from './restore-command.ts'
import { templateCommand } from './template.ts'
import { tenantCreateCommand } from './tenant.ts'
import { userCreateCommand, userDisableCommand, userResetCommand } from './user.ts'

const commands: readonly Command[] = [
  userCreateCommand,
  userResetCommand,
  userDisableCommand,
  tenantCreateCommand,
  backupCommand,
  restoreCommand,
  checkCommand,
  otaVerifyCommand,
  migrateCommand,
  templateCommand,
]

function help(print: CommandContext['print']) {
  print('用法：npm run oms -- <命令>\n')
  const width = Math.max(...commands.map(({ usage }) => columnsOf(usage)))
  for (const { usage, summary } of commands) print(`  ${usage}${' '.repeat(width - columnsOf(usage))}  ${summary}`)
}

/** Returns the terminal width of a text. Chinese characters and punctuation use two columns. */
const columnsOf = (text: string) => [...text].reduce((sum, sign) => sum + (sign.charCodeAt(0) > 0x2e7f ? 2 : 1), 0)

/**
 * Runs the command that the arguments of `npm run oms --` name. Throws an error with the complete line to print when
 * the command fails.
 */
export async function runCommand(words: readonly string[], context: CommandContext) {
  if (words.length === 0 || words[0] === 'help' || words.includes('--help')) return help(context.print)
  const command = commands.find(({ name }) => name.split(' ').every((word, place) => words[place] === word))
  if (!command) {
    const near = commands.filter(({ name }) => name.startsWith(`${words[0]} `)).map(({ name }) => name)
    throw new CommandError(
      `没有命令 ${words.join(' ')}；${near.length > 0 ? `可用：${near.join('、')}；` : ''}npm run oms -- help 列出全部命令`,
    )
  }
  await command.run(words.slice(command.name.split(' ').length), context)
}
