import { DISPLAY_DAYS, type DisplayLink, DisplayInput, homeDisplay } from '@oms/contract/home/home-display.ts'
import { Alert, Button, Drawer, Empty, Form, Popconfirm, Skeleton, Tag } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { AntdRoot } from '#kit/antd/antd-root.tsx'
import { focusFirstFieldOnOpen } from '#kit/form/save/focus-first.ts'
import { TextField } from '#kit/form/field.tsx'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { renderInAntdRoot } from '#kit/antd/lazy-antd.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { useSaveForm } from '#kit/form/save/use-save-form.ts'
import { CardChoice } from './home-card.tsx'

const DAYS = DISPLAY_DAYS.map((days) => ({ value: days, label: `${days} 天` }))
const addressOf = (token: string) => `${location.origin}/display#${token}`

/** Manages the display URLs of the big screen: create, list and revoke. */
export const DisplayLinks = renderInAntdRoot(AntdRoot, Links)

function Links({ onClose }: { onClose(): void }) {
  const { data, error, refetch } = useRead(homeDisplay.links, {}, { quiet: true, staleTime: 0 })
  const [made, setMade] = useState<{ name: string; token: string }>()
  return (
    <Drawer
      title="大屏展示链接"
      open
      size="min(640px, 100vw)"
      onClose={onClose}
      afterOpenChange={focusFirstFieldOnOpen}
    >
      <Alert
        type="info"
        showIcon
        className="kit-note"
        title="持有链接即可只读查看运营大屏，无需登录"
        description="展示内容与创建人的数据范围一致，不能进行任何操作。创建人停用或失去大屏权限、链接到期或被撤销后，屏幕在一分钟内停止显示。"
      />
      <MakeLink onMade={setMade} />
      <h3 className="kit-heading">已有链接</h3>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton active />}
      {data?.list.length === 0 && <Empty description="还没有展示链接" />}
      <ul className="kit-items">
        {data?.list.map((link) => (
          <Line key={link.id} link={link} />
        ))}
      </ul>
      {made && <MadeLink {...made} onClose={() => setMade(undefined)} />}
    </Drawer>
  )
}

const MadeLink = ({ name, token, onClose }: { name: string; token: string; onClose(): void }) => (
  <OneTimeSecret
    title="展示链接已生成"
    owner="名称"
    account={name}
    label="展示链接"
    secret={addressOf(token)}
    hint="在大屏电脑的浏览器中打开该地址并全屏即可。请勿发送给无关人员。"
    onClose={onClose}
  />
)

function MakeLink({ onMade }: { onMade(made: { name: string; token: string }): void }) {
  const save = useSaveForm(homeDisplay.create, {
    initial: { days: 365 },
    onSaved: ({ token }) => {
      onMade({ name: String(save.form.form.getFieldValue('name')), token })
      save.form.form.resetFields()
    },
  })
  return (
    <Form {...save.form} className="display-form">
      <TextField of={DisplayInput} name="name" hint="屏幕挂在哪里，例如：一楼大厅" />
      <Form.Item name="days" label="有效期">
        <Days />
      </Form.Item>
      <Button type="primary" htmlType="submit" loading={save.saving}>
        生成链接
      </Button>
    </Form>
  )
}

/** Uses four buttons, because the home page does not load the styles of a select. */
function Days({ value = 365, onChange }: { value?: number; onChange?: (days: number) => void }) {
  return <CardChoice label="有效期" value={value} options={DAYS} onChange={(days) => onChange?.(days)} />
}

function Line({ link }: { link: DisplayLink }) {
  const revoke = useWrite(homeDisplay.revoke)
  const { name, maker, createTime, expireTime, expired, lastSeenTime, lastSeenIp } = link
  return (
    <li className="kit-row">
      <div className="kit-main">
        <strong>{name}</strong> {expired && <Tag color="error">已过期</Tag>}
        <p>
          {maker} 生成于 {createTime}，有效期至 {expireTime.slice(0, 10)}
        </p>
        <p>{lastSeenTime ? `最近显示：${lastSeenTime}（${lastSeenIp}）` : '还没有打开过'}</p>
      </div>
      <Popconfirm
        title={`撤销「${name}」？`}
        description="使用该链接的屏幕将停止显示，且不能恢复。"
        okText="撤销"
        okButtonProps={{ danger: true }}
        cancelText="取消"
        onConfirm={() => revoke.mutateAsync({ id: link.id }).catch(() => {})}
      >
        <Button danger aria-label={`撤销 ${name}`}>
          撤销
        </Button>
      </Popconfirm>
    </li>
  )
}
