import { DATA_SCOPE, ROLE_STATUS, RoleDetail, role } from '@oms/contract/account/role.ts'
import { Tag } from 'antd'
import { useRead } from '#core/api/query.ts'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordDrawer } from '#kit/record/record-drawer.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import type { Role } from './use-role-actions.ts'

const CHOSEN_TENANTS = 3
const { item, wide } = createDescriptions(RoleDetail)
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
      {scope === CHOSEN_TENANTS && (
        <TagList>
          {scopeTenants.map(({ id, name }) => (
            <Tag key={id}>{name}</Tag>
          ))}
        </TagList>
      )}
    </>
  )),
  wide('remark'),
]

/** Shows one role in a drawer: its fields and its operation history. */
export const RoleDrawer = (props: RecordNavigation<Role>) => (
  <RecordDrawer {...props} rowKey="id" bizType="role" title={({ roleName }) => `角色「${roleName}」`}>
    {({ id }) => <RoleFacts key={id} id={id} />}
  </RecordDrawer>
)

function RoleFacts({ id }: { id: number }) {
  const { data, error, refetch } = useRead(role.get, { id }, { quiet: true, keepPrevious: false })
  return data ? <Descriptions row={data} items={ITEMS} /> : <Waiting reads={[{ error, refetch }]} rows={3} />
}
