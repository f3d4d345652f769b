import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { scene } from '@oms/contract/scene/scene.ts'
import { call, findErrorMessage } from '#core/api/client.ts'
import { dialogs } from '#core/loading/overlays.ts'
import { useCan } from '#core/auth/session.tsx'
import { ImpactReport } from './impact-report.tsx'

interface Words {
  readonly title: string
  readonly okText: string
  /** Asks for confirmation even when no account is affected. */
  readonly always?: boolean
}

/** Shows the impact of a change and asks for confirmation. Confirms without a dialog when no tenant is affected. */
export function useImpactQuestion() {
  const can = useCan()
  return async (change: InputOf<typeof scene.impact>, { title, okText, always = false }: Words): Promise<boolean> => {
    const impact = can(scene.impact.access)
      ? await call(scene.impact, change, { quiet: true }).catch((error: unknown) => findErrorMessage(error))
      : '您没有查看影响范围的权限'
    const quietly = typeof impact !== 'string' && impact.tenantCount === 0 && !always
    if (quietly) return true
    const loses = typeof impact === 'string' || impact.accountsLosing > 0
    return new Promise((resolve) => {
      dialogs.confirm({
        title,
        width: 'min(720px, 94vw)',
        content: typeof impact === 'string' ? `影响范围未知：${impact}` : <ImpactReport impact={impact} />,
        okText,
        cancelText: '取消',
        okButtonProps: { danger: loses },
        onOk: () => resolve(true),
        onCancel: () => resolve(false),
      })
    })
  }
}
