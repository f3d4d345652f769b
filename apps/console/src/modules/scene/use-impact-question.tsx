import type { InputOf } from '@oms/contract/kernel/endpoint.ts'
import { scene } from '@oms/contract/scene.ts'
import { call, messageOf } from '#kernel/call.ts'
import { dialogs } from '#kernel/overlays.ts'
import { useCan } from '#kernel/session.tsx'
import { ImpactReport } from './impact-report.tsx'

interface Words {
  readonly title: string
  readonly okText: string
  /** Ask even when nobody is affected. */
  readonly always?: boolean
}

/** Shows who would lose or gain what, and asks whether to go on; goes on by itself when nobody is affected. */
export function useImpactQuestion() {
  const can = useCan()
  return async (change: InputOf<typeof scene.impact>, { title, okText, always = false }: Words): Promise<boolean> => {
    const told = can(scene.impact.access)
      ? await call(scene.impact, change, { quiet: true }).catch((error: unknown) => messageOf(error))
      : '您没有查看影响范围的权限'
    const quietly = typeof told !== 'string' && told.tenantCount === 0 && !always
    if (quietly) return true
    const loses = typeof told === 'string' || told.accountsLosing > 0
    return new Promise((resolve) => {
      dialogs.confirm({
        title,
        width: 'min(720px, 94vw)',
        content: typeof told === 'string' ? `影响范围未知：${told}` : <ImpactReport impact={told} />,
        okText,
        cancelText: '取消',
        okButtonProps: { danger: loses },
        onOk: () => resolve(true),
        onCancel: () => resolve(false),
      })
    })
  }
}
