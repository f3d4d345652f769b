import { APPLY_STATUS, ApplyInput, userApply } from '@oms/contract/tenant/user-apply.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Button, Form, Popconfirm } from 'antd'
import { useEffect } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { NoteField, TextField } from '#kit/form/field.tsx'
import { useSaveForm } from '#kit/form/save/use-save-form.ts'
import { DictLabelTag } from '#kit/pickers/dict-words.tsx'
import './tenant.css'

type Own = ResultOf<typeof userApply.mine>['list'][number]
const COLORS = { 0: 'warning', 1: 'success', 2: 'error', 3: 'default', 4: 'default' } as const
/** Interval in milliseconds between two checks of the application status. */
const POLL_MS = 20_000

/** Page for an account without a tenant: sends an application to join a tenant and shows its status. */
export function JoinPage() {
  const { data, refetch } = useRead(userApply.mine, {}, { quiet: true })
  const waits = data?.list.some(({ status }) => status === 0) === true
  useEffect(() => {
    if (!waits) return
    const timer = setInterval(() => void refetch(), POLL_MS)
    return () => clearInterval(timer)
  }, [waits, refetch])
  return (
    <div className="join-card">
      <p>您的账号还不属于任何客户。填写加入码提交申请，审批通过后即可使用。</p>
      {data && data.list.length > 0 && (
        <ul className="kit-items" aria-label="我的申请">
          {data.list.slice(0, 5).map((own) => (
            <OwnApplication key={own.id} own={own} />
          ))}
        </ul>
      )}
      <ApplyForm />
    </div>
  )
}

function OwnApplication({ own }: { own: Own }) {
  const cancel = useWrite(userApply.cancel)
  const { id, tenantName, status, createTime, auditRemark } = own
  return (
    <li>
      <header className="kit-row">
        <strong>{tenantName}</strong>
        <DictLabelTag
          type="apply_status"
          words={APPLY_STATUS}
          value={status}
          color={COLORS[status as keyof typeof COLORS]}
        />
        {status === 0 && (
          <Popconfirm
            title="取消这个申请？"
            okText="取消申请"
            cancelText="再等等"
            onConfirm={() => cancel.mutateAsync({ id }).catch(() => {})}
          >
            <Button type="link" size="small">
              取消申请
            </Button>
          </Popconfirm>
        )}
      </header>
      <p>
        申请时间：{createTime}
        {status === 0 && '，审批通过后本页自动进入系统'}
      </p>
      {auditRemark && <p>审批意见：{auditRemark}</p>}
      {status === 1 && (
        <Button type="primary" size="small" onClick={() => location.assign('/')}>
          进入系统
        </Button>
      )}
    </li>
  )
}

function ApplyForm() {
  const save = useSaveForm(userApply.apply, { onSaved: () => save.form.form.resetFields() })
  return (
    <Form {...save.form}>
      <TextField of={ApplyInput} name="joinCode" hint="8 位字母和数字，向所在单位的管理员索取" />
      <NoteField of={ApplyInput} name="reason" rows={3} />
      <Button type="primary" block htmlType="submit" loading={save.saving}>
        申请加入
      </Button>
    </Form>
  )
}
