import { SIGNING_STATE } from '@oms/contract/upgrade/ota-signing.ts'
import { eq } from 'drizzle-orm'
import { otaVersions } from '#modules/upgrade/schema-ota.ts'
import { FIRMWARE_KIND, SOFTWARE_KIND } from '#modules/upgrade/versions/ota-artifact-kind.ts'
import { verifyVersion } from '#modules/upgrade/versions/ota-signing.ts'
import { createPlatformUser } from '#core/auth/system-actor.ts'
import { type Command, CommandError } from './command.ts'
import { withServices } from './with-services.ts'
import { parseArguments } from './arguments.ts'

const USAGE = 'ota verify <版本编号>'

/**
 * Verifies signatures like the console's signature block, for a terminal or a scheduled script. Fails when any check
 * fails.
 */
export const otaVerifyCommand: Command = {
  name: 'ota verify',
  usage: USAGE,
  summary: '核对一个版本的签名、清单与组件文件',
  async run(args, context) {
    const otaId = Number(parseArguments(args, USAGE, {}).first)
    if (!Number.isInteger(otaId) || otaId < 1) throw new CommandError(`用法：npm run oms -- ${USAGE}`)
    const view = await withServices(context, async (services) => {
      const { db } = services.database
      const [found] = await db.select({ kind: otaVersions.kind }).from(otaVersions).where(eq(otaVersions.otaId, otaId))
      const artifact = found?.kind === SOFTWARE_KIND.kind ? SOFTWARE_KIND : FIRMWARE_KIND
      return verifyVersion({ services, user: createPlatformUser({}), now: services.now() }, artifact, { otaId })
    })
    const state = SIGNING_STATE[view.state as keyof typeof SIGNING_STATE]
    context.print(`版本 ${otaId}：${state}${view.keyId && `，密钥 ${view.keyId}，序号 ${view.release}`}`)
    for (const { title, ok, words: said } of view.checks) context.print(`${ok ? '✓' : '✗'} ${title}：${said}`)
    if (view.state !== 2) throw new CommandError('核对未通过')
  },
}
