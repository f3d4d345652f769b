import { DATA_SCOPE, ROLE_STATUS, RoleDetail, role } from '@oms/contract/role.ts'
import { Tag } from 'antd'
import { useRead } from '#kernel/query.ts'
import type { Beside } from '#kit/detail-drawer.tsx'
import { Details, detailsOf } from '#kit/details.tsx'
import { RecordDrawer } from '#kit/record-drawer.tsx'
import { time } from '#kit/time.tsx'
import { Waiting } from '#kit/waiting.tsx'
import type { Role } from './use-role-actions.ts'

const CHOSEN_TENANTS = 3
const { item, wide } = detailsOf(RoleDetail)
const ITEMS = [
  item('roleName'),
  item('roleCode'),
  item('tenantName'),
  item('status', (status) => (
    <Tag color={status === 1 ? 'success' : 'default'}>{ROLE_STATUS[status as keyof typeof ROLE_STATUS]}</Tag>
  )),
  item('userCount'),
  item('menuCount', (count, { isBuiltin }) => (isBuiltin === 1 ? '全部' : count)),
  item('homeUrl'),
  item('roleSort'),
  item('createTime', time),
  item('updateTime', time),
  wide('dataScope', (scope, { scopeTenants }) => (
    <>
      {DATA_SCOPE[scope as keyof typeof DATA_SCOPE]}{' '}
      {scope === CHOSEN_TENANTS && scopeTenants.map(({ id, name }) => <Tag key={id}>{name}</Tag>)}
    </>
  )),
  wide('remark'),
]

/** One role beside the list: what it is, and what was done to it. */
export const RoleDrawer = (props: Beside<Role>) => (
  <RecordDrawer {...props} rowKey="id" bizType="role" title={({ roleName }) => `角色「${roleName}」`}>
    {({ id }) => <RoleFacts key={id} id={id} />}
  </RecordDrawer>
)

function RoleFacts({ id }: { id: number }) {
  const { data, error, refetch } = useRead(role.get, { id }, { quiet: true, keepPrevious: false })
  return data ? <Details row={data} items={ITEMS} /> : <Waiting reads={[{ error, refetch }]} rows={3} />
}
