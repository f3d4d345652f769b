import { role } from '@oms/contract/account/role.ts'
import { Alert, Drawer, Form } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useCan } from '#core/auth/session.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { GrantTree } from '#kit/tree/grant-tree.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import type { Role } from './use-role-actions.ts'

type Tree = z.output<(typeof role.allPerm)['result']>
const SIZE = 'min(720px, 100vw)'

/** Edits the permissions of a role in a tree. */
export function RolePermission({ role: row, onClose }: { role: Role; onClose(): void }) {
  const can = useCan()
  const title = `「${row.roleName}」的权限`
  const mayChange = can(role.permission.access) && row.isBuiltin !== 1
  return (
    <FreshRecord
      of={row.id}
      read={() => call(role.allPerm, { id: row.id }, { quiet: true })}
      layer="drawer"
      title={title}
      onClose={onClose}
    >
      {(tree) =>
        mayChange ? (
          <Editor role={row} tree={tree} onClose={onClose} />
        ) : (
          <Drawer open size={SIZE} title={title} onClose={onClose}>
            <ReadOnly tree={tree} builtin={row.isBuiltin === 1} />
          </Drawer>
        )
      }
    </FreshRecord>
  )
}

function ReadOnly({ tree, builtin }: { tree: Tree; builtin: boolean }) {
  const why = builtin ? '超级管理员角色始终拥有全部权限，不能修改。' : '您可以查看，不能修改。'
  return (
    <>
      <Alert type="info" showIcon title={why} className="kit-note" />
      <GrantTree menus={lockNodes(tree.menus)} value={tree.checkedIds} height={560} label="角色权限" />
    </>
  )
}

const lockNodes = (nodes: Tree['menus']): Tree['menus'] =>
  nodes.map((node) => ({ ...node, grantable: false, children: lockNodes(node.children) }))

/** Returns the granted pages and buttons. The server also marks directories, but directories are not granted. */
const listGrantedIds = ({ menus, checkedIds }: Tree) => {
  const directories = new Set(directoriesOf(menus))
  return checkedIds.filter((id) => !directories.has(id))
}
const directoriesOf = (nodes: Tree['menus']): number[] =>
  nodes.flatMap(({ id, type, children }) => [...(type === 'M' ? [id] : []), ...directoriesOf(children)])

function Editor({ role: row, tree, onClose }: { role: Role; tree: Tree; onClose(): void }) {
  const initial = (from: Tree) => ({ roleId: row.id, menuIds: listGrantedIds(from), rev: from.rev })
  const { drawer, footer, form } = useFormDrawer(role.permission, {
    onClose,
    initial: initial(tree),
    latest: async () => initial(await call(role.allPerm, { id: row.id })),
  })
  const anyLocked = hasLocked(tree.menus)
  return (
    <Drawer {...drawer} title={`「${row.roleName}」的权限`} footer={<FormFooter {...footer} saveText="保存权限" />}>
      {row.userCount > 0 && <p className="kit-note">保存后立即对 {row.userCount} 个用户生效，无需重新登录。</p>}
      {anyLocked && (
        <Alert type="warning" showIcon title="灰色的权限您自己没有，不能授予或收回。" className="kit-note" />
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
