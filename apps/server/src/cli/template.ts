import { findBinaries } from '#db/embedded/binaries.ts'
import { keepTemplate } from '#db/embedded/template.ts'
import { furniture } from '../furniture.ts'
import { keepKey } from '../furniture-key.ts'
import { type Command, CommandError } from './command.ts'

export const templateCommand: Command = {
  name: 'template',
  usage: 'template <目录>',
  summary: '（构建时使用）准备内置数据库的模板，让首次启动更快',
  async run([folder]) {
    if (!folder) throw new CommandError('请给出存放模板的目录')
    const made = furniture()
    await keepTemplate(findBinaries(), folder, made)
    keepKey(made.key)
  },
}
