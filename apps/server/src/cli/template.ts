import { findBinaries } from '#core/database/embedded/binaries.ts'
import { storeTemplate } from '#core/database/embedded/cluster-template.ts'
import { databaseTemplate } from '#main/database-template.ts'
import { storeKey } from '#main/template-key.ts'
import { type Command, CommandError } from './command.ts'

export const templateCommand: Command = {
  name: 'template',
  usage: 'template <目录>',
  summary: '（构建时使用）准备内置数据库的模板，让首次启动更快',
  async run([folder]) {
    if (!folder) throw new CommandError('请给出存放模板的目录')
    const made = databaseTemplate()
    await storeTemplate(findBinaries(), folder, made)
    storeKey(made.key)
  },
}
