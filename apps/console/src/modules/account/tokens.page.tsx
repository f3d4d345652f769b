import { PlusOutlined } from '@ant-design/icons'
import { TokenInput, type TokenRow, tokens } from '@oms/contract/account/tokens.ts'
import type { PermNode } from '@oms/contract/permission-tree.ts'
import { Button, Drawer, Empty, Form, Modal, Select, Tag } from 'antd'
import dayjs from 'dayjs'
import { useState } from 'react'
import { computeMd5 } from '#core/auth/md5.ts'
import { useRead, useWrite } from '#core/api/query.ts'
import { LoadingDrawer } from '#kit/feedback/loading-layer.tsx'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Field, NumberField, TextField } from '#kit/form/field.tsx'
import { DateField } from '#kit/form/field-date.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { useFormDrawer, useFormModal } from '#kit/form/use-form-modal.ts'
import { RowActions } from '#kit/list/row-actions.tsx'
import { GrantTree } from '#kit/tree/grant-tree.tsx'
import { PasswordField } from './account-form.tsx'
import { AccountSettings } from './account-settings.tsx'

/** Life of a new token in days, and days before its end from which the list warns. */
const DEFAULT_DAYS = 90
const WARNING_DAYS = 14

interface Secret {
  readonly name: string
  readonly token: string
}

/** Lists the API tokens of the account, and creates, rotates and revokes them. */
export default function TokensPage() {
  const read = useRead(tokens.list, {})
  const [adding, setAdding] = useState(false)
  const [rotating, setRotating] = useState<TokenRow>()
  const [secret, setSecret] = useState<Secret>()
  const rows = read.data?.list
  return (
    <AccountSettings
      title="访问令牌"
      intro="程序（如构建服务器、ERP）以您的身份调用接口时使用，请求头为 Authorization: Bearer 令牌。令牌的权限不会超过您当前的权限，也不能用于账号、角色和审批操作。"
      extra={
        <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
          新增令牌
        </Button>
      }
    >
      {!rows && <Waiting reads={[read]} rows={3} />}
      {rows?.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="还没有访问令牌" />}
      <ul className="kit-items">
        {rows?.map((row) => (
          <TokenItem key={row.id} row={row} onRotate={() => setRotating(row)} />
        ))}
      </ul>
      {adding && <TokenForm onClose={() => setAdding(false)} onMade={setSecret} />}
      {rotating && <RotateForm row={rotating} onClose={() => setRotating(undefined)} onMade={setSecret} />}
      {secret && (
        <OneTimeSecret
          title="请保存访问令牌"
          owner="名称"
          account={secret.name}
          label="访问令牌"
          secret={secret.token}
          hint="把令牌保存在构建服务器的机密变量中，不要写进代码仓库。"
          onClose={() => setSecret(undefined)}
        />
      )}
    </AccountSettings>
  )
}

function TokenItem({ row, onRotate }: { row: TokenRow; onRotate(): void }) {
  const revoke = useWrite(tokens.revoke)
  const { id, name, prefix, permissions, nets, createTime, expireTime, lastUseTime, lastUseIp, formerUntil } = row
  return (
    <li className="kit-row">
      <div className="kit-main">
        <strong>
          {name} <Expiry at={expireTime} />
        </strong>
        <p className="kit-muted">
          <span className="kit-mono">{prefix}…</span> · {permissions.length} 项权限 ·{' '}
          {nets.length > 0 ? `仅限 ${nets.join('、')}` : '不限网段'}
        </p>
        <p className="kit-muted">
          创建于 {createTime} · 有效期至 {expireTime.slice(0, 10)} ·{' '}
          {lastUseTime ? `最近使用 ${lastUseTime}（${lastUseIp}）` : '尚未使用'}
          {formerUntil && dayjs(formerUntil).isAfter(dayjs()) && ` · 旧令牌有效至 ${formerUntil}`}
        </p>
      </div>
      <RowActions
        items={[
          { label: '更换', onClick: onRotate },
          {
            label: '撤销',
            danger: true,
            confirm: `撤销后，使用令牌「${name}」的程序立即不能调用接口，且不能恢复。`,
            onClick: () => revoke.mutateAsync({ id }),
          },
        ]}
      />
    </li>
  )
}

function Expiry({ at }: { at: string }) {
  const days = dayjs(at).diff(dayjs(), 'day', true)
  if (days < 0) return <Tag color="error">已过期</Tag>
  return days < WARNING_DAYS && <Tag color="warning">{Math.ceil(days)} 天后到期</Tag>
}

interface FormProps {
  onClose(): void
  onMade(secret: Secret): void
}

/** Loads the permissions that a token can have, then shows the form of a new token. */
function TokenForm(props: FormProps) {
  const read = useRead(tokens.permissions, {}, { quiet: true })
  if (!read.data) return <LoadingDrawer title="新增访问令牌" reads={[read]} onClose={props.onClose} />
  return <LoadedTokenForm {...props} menus={read.data.menus} />
}

interface TokenValues {
  readonly name: string
  /** Ids of pages and buttons. */
  readonly permissions: readonly number[]
  readonly nets?: readonly string[]
  readonly expireDay: string
  readonly pswdMd5: string
}

export function LoadedTokenForm({ menus, onClose, onMade }: FormProps & { menus: readonly PermNode[] }) {
  const { drawer, footer, form } = useFormDrawer(tokens.create, {
    onClose,
    onSaved: ({ token }, { name }) => onMade({ name, token }),
    initial: { expireDay: dayjs().add(DEFAULT_DAYS, 'day').format('YYYY-MM-DD'), nets: [], permissions: [] },
    input: (values) => {
      const { name, permissions, nets = [], expireDay, pswdMd5 } = values as unknown as TokenValues
      const held = listPermissions(menus, new Set(permissions))
      return { name, permissions: held, nets: [...nets], expireDay, pswdMd5: computeMd5(pswdMd5.trim()) }
    },
  })
  return (
    <Drawer title="新增访问令牌" {...drawer} footer={<FormFooter {...footer} saveText="生成令牌" />}>
      <Form {...form}>
        <TextField of={TokenInput} name="name" hint="由哪个程序使用，例如：GitLab 流水线" />
        <DateField of={TokenInput} name="expireDay" />
        <Form.Item name="permissions" label="权限" required extra="只选择程序需要的权限。">
          <GrantTree menus={menus} height={320} label="令牌权限" />
        </Form.Item>
        <Field of={TokenInput} name="nets" hint="不填写则不限网段。可以填写地址或网段，例如 203.0.113.0/24">
          <Select
            mode="tags"
            tokenSeparators={[',', '，', ' ']}
            open={false}
            suffixIcon={null}
            placeholder="输入后按回车"
          />
        </Field>
        <PasswordField name="pswdMd5" label="当前密码" missing="请输入密码" kind="current" />
      </Form>
    </Drawer>
  )
}

/** Returns the permission strings of the chosen pages and buttons. */
const listPermissions = (menus: readonly PermNode[], chosen: ReadonlySet<number>): string[] =>
  menus.flatMap(({ id, perms, children }) => [
    ...(chosen.has(id) && perms ? [perms] : []),
    ...listPermissions(children, chosen),
  ])

export function RotateForm({ row, onClose, onMade }: FormProps & { row: TokenRow }) {
  const { modal, form } = useFormModal(tokens.rotate, {
    onClose,
    onSaved: ({ token }) => onMade({ name: row.name, token }),
    initial: { id: row.id, hours: 24 },
  })
  return (
    <Modal title={`更换访问令牌「${row.name}」`} {...modal} okText="更换">
      <Form {...form}>
        <NumberField
          of={tokens.rotate.input}
          name="hours"
          unit="小时"
          hint="新令牌立即有效。旧令牌在这段时间内仍然有效，0 表示立即失效。"
        />
      </Form>
    </Modal>
  )
}
