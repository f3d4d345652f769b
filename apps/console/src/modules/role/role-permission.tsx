import { role } from '@oms/contract/role.ts'
import { Alert, Drawer, Form, Skeleton } from 'antd'
import type * as z from 'zod'
import { call } from '#kernel/call.ts'
import { useRead } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { FormFooter } from '#kit/form-footer.tsx'
import { LoadFailed } from '#kit/table-state.tsx'
import { GrantTree } from '#kit/tree/grant-tree.tsx'
import { useFormDrawer } from '#kit/use-form-modal.ts'
import './role.css'
import type { Role } from './use-role-actions.ts'

type Tree = z.output<(typeof role.allPerm)['result']>
const SIZE = 'min(720px, 100vw)'

/** The permissions of one role, as a tree to choose from. */
export function RolePermission({ role: row, onClose }: { role: Role; onClose(): void }) {
  const can = useCan()
  const { data, error, refetch } = useRead(
    role.allPerm,
    { id: row.id },
    { staleTime: 0, keepPrevious: false, quiet: true },
  )
  if (data && can(role.permission.access) && row.isBuiltin !== 1)
    return <Editor role={row} tree={data} onClose={onClose} />
  return (
    <Drawer open size={SIZE} title={`「${row.roleName}」的权限`} onClose={onClose}>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton active />}
      {data && <ReadOnly tree={data} builtin={row.isBuiltin === 1} />}
    </Drawer>
  )
}

function ReadOnly({ tree, builtin }: { tree: Tree; builtin: boolean }) {
  const why = builtin ? '超级管理员角色始终拥有全部权限，不能修改。' : '您可以查看，不能修改。'
  return (
    <>
      <Alert type="info" showIcon title={why} className="role-note" />
      <GrantTree menus={locked(tree.menus)} value={tree.checkedIds} height={560} label="角色权限" />
    </>
  )
}

const locked = (nodes: Tree['menus']): Tree['menus'] =>
  nodes.map((node) => ({ ...node, grantable: false, children: locked(node.children) }))

/** Directories are marked by the server too; only pages and buttons are given. */
const granted = ({ menus, checkedIds }: Tree) => {
  const directories = new Set(directoriesOf(menus))
  return checkedIds.filter((id) => !directories.has(id))
}
const directoriesOf = (nodes: Tree['menus']): number[] =>
  nodes.flatMap(({ id, type, children }) => [...(type === 'M' ? [id] : []), ...directoriesOf(children)])

function Editor({ role: row, tree, onClose }: { role: Role; tree: Tree; onClose(): void }) {
  const initial = (from: Tree) => ({ roleId: row.id, menuIds: granted(from), rev: from.rev })
  const { drawer, footer, form } = useFormDrawer(role.permission, {
    onClose,
    initial: initial(tree),
    latest: async () => initial(await call(role.allPerm, { id: row.id })),
  })
  const anyLocked = hasLocked(tree.menus)
  return (
    <Drawer {...drawer} title={`「${row.roleName}」的权限`} footer={<FormFooter {...footer} saveText="保存权限" />}>
      {row.userCount > 0 && <p className="role-note">保存后立即对 {row.userCount} 个用户生效，无需重新登录。</p>}
      {anyLocked && (
        <Alert type="warning" showIcon title="灰色的权限您自己没有，不能授予或收回。" className="role-note" />
      )}
      <Form {...form}>
        <Form.Item name="menuIds" noStyle>
          <GrantTree menus={tree.menus} height={560} label="角色权限" />
        </Form.Item>
      </Form>
    </Drawer>
  )
}

const hasLocked = (nodes: Tree['menus']): boolean =>
  nodes.some(({ type, grantable, children }) => (type !== 'M' && !grantable) || hasLocked(children))
