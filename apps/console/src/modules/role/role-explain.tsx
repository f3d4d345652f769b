import type { PermNode } from '@oms/contract/permissions/permission-tree.ts'
import { role } from '@oms/contract/role/role.ts'
import { Alert, Drawer, Form, Timeline, TreeSelect } from 'antd'
import { useMemo, useState } from 'react'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { focusFirstFieldOnOpen } from '#kit/form/save/focus-first.ts'
import { UserPicker } from '#kit/pickers/user-picker.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import './role.css'

interface Question {
  readonly uid?: number | undefined
  readonly permission?: string | undefined
}

/** Explains why an account may or may not use a permission: lists each rule of the server with its result. */
export function RoleExplain({ onClose }: { onClose(): void }) {
  const [question, setQuestion] = useState<Question>({})
  const { uid, permission } = question
  return (
    <Drawer open size="min(560px, 100vw)" title="权限诊断" onClose={onClose} afterOpenChange={focusFirstFieldOnOpen}>
      <Form layout="vertical">
        <Form.Item label="账号" htmlFor="explain-account">
          <UserPicker
            id="explain-account"
            {...(uid !== undefined && { value: uid })}
            onChange={(next) => setQuestion({ ...question, uid: next })}
          />
        </Form.Item>
        <Form.Item label="权限" htmlFor="explain-permission">
          <PermissionSelect value={permission} onChange={(next) => setQuestion({ ...question, permission: next })} />
        </Form.Item>
      </Form>
      {uid === undefined || !permission ? (
        <Alert type="info" showIcon title="选择账号和权限，查看每条规则的判断结果。" />
      ) : (
        <Verdict uid={uid} permission={permission} />
      )}
    </Drawer>
  )
}

function PermissionSelect(props: { value: string | undefined; onChange(permission: string | undefined): void }) {
  const { data } = useRead(role.permTree, {})
  const tree = useMemo(() => (data ? optionsOf(data.menus) : []), [data])
  return (
    <TreeSelect
      id="explain-permission"
      {...(props.value && { value: props.value })}
      allowClear
      showSearch={{ filterTreeNode: (text, node) => String(node['search']).toLowerCase().includes(text.toLowerCase()) }}
      placeholder="请选择权限，可按名称或标识搜索"
      treeNodeLabelProp="search"
      treeData={tree}
      onChange={(next: string | undefined) => props.onChange(next)}
    />
  )
}

interface Option {
  value: string
  title: string
  search: string
  selectable: boolean
  children: Option[]
}

const optionsOf = (nodes: readonly PermNode[]): Option[] =>
  nodes.map(({ id, name, perms, children }) => ({
    value: perms || `menu-${id}`,
    title: perms ? `${name}（${perms}）` : name,
    search: perms ? `${name}（${perms}）` : name,
    selectable: perms !== '',
    children: optionsOf(children),
  }))

type Explanation = z.output<(typeof role.explain)['result']>

function Verdict({ uid, permission }: { uid: number; permission: string }) {
  const asked = { uid, permission }
  const { data, error, refetch } = useRead(role.explain, asked, { staleTime: 0, keepPrevious: false, quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return <Rules explanation={data} />
}

function Rules({ explanation: { allowed, summary, account, permissionName, rules } }: { explanation: Explanation }) {
  return (
    <div role="status">
      <Alert
        className="role-note"
        showIcon
        type={allowed ? 'success' : 'error'}
        title={`${account} ${allowed ? '可以' : '不能'}使用「${permissionName}」`}
        description={allowed ? undefined : summary}
      />
      <Timeline
        items={rules.map(({ rule, pass, detail }) => ({
          key: rule,
          color: pass ? 'green' : 'red',
          content: (
            <>
              <b>{rule}</b> {pass ? '通过' : '不通过'}
              <div className="role-detail">{detail}</div>
            </>
          ),
        }))}
      />
    </div>
  )
}
