import { logs } from '@oms/contract/system/log.ts'
import { dialogs } from '#core/loading/overlays.ts'
import { useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'

/** Returns a function that confirms and then ends a session; undefined without the permission. */
export function useEndSession(alsoChanges: readonly string[] = []) {
  const can = useCan()
  const forceOut = useWrite(logs.forceOut, { alsoChanges })
  if (!can(logs.forceOut.access)) return undefined
  return (sessionId: string) =>
    void dialogs.confirm({
      title: '强制下线',
      content: '该会话立即失效，未保存的内容会丢失。',
      okText: '强制下线',
      okButtonProps: { danger: true },
      cancelText: '取消',
      onOk: () => forceOut.mutateAsync({ sessionId }).catch(() => {}),
    })
}
