import { feedback } from '@oms/contract/feedback.ts'
import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useCan, useSession } from '#kernel/session.tsx'
import { Panel } from '#kit/page.tsx'
import { DisposeForm } from './dispose-form.tsx'
import { Checklists } from './checklists.tsx'
import type { Info } from './ticket-head.tsx'

/** May this account confirm: nobody has the ticket, or it does itself, and it holds the permission. */
function useMayConfirm({ handlerId, mergedInto }: Info) {
  const uid = Number(useSession()?.uid)
  const can = useCan()
  return can(feedback.dispose.access) && (!handlerId || handlerId === uid) && mergedInto === null
}

/**
 * The processing form for those who may handle the ticket; what is ticked for the others. It keeps the version it was
 * opened with while something is typed: a colleague's change is announced, and never takes the typed text away.
 */
export function DisposePanel({ info, onTyping }: { info: Info; onTyping(typing: boolean): void }) {
  const [base, setBase] = useState(info)
  const [dirty, setDirty] = useState(false)
  const mayConfirm = useMayConfirm(info)
  const behind = base.version !== info.version
  if (behind && !dirty) setBase(info)
  const typed = (next: boolean) => {
    setDirty(next)
    onTyping(next)
  }
  if (!mayConfirm)
    return (
      <Panel title="问题分类">
        <Checklists value={info.problemAttr} disabled />
        <p className="ticket-muted">
          {info.handlerId ? `该工单由 ${info.handler} 处理，您可以查看。` : '您没有处理工单的权限，可以查看。'}
        </p>
      </Panel>
    )
  return (
    <Panel title="处理工单">
      {behind && dirty && (
        <Alert
          type="warning"
          showIcon
          className="ticket-behind"
          title="该工单刚被他人更新，提交前请加载最新内容"
          action={
            <Button
              size="small"
              onClick={() => {
                typed(false)
                setBase(info)
              }}
            >
              加载最新
            </Button>
          }
        />
      )}
      <DisposeForm key={base.version} info={base} onDirty={typed} />
    </Panel>
  )
}
