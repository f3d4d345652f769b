import { StaffRow, staff } from '@oms/contract/account/staff.ts'
import { Tabs, Tag } from 'antd'
import { useCan } from '#core/auth/session.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import { createHistoryTab } from '#kit/record/record-history.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { Time } from '#kit/record/time.tsx'
import { useRead } from '#core/api/query.ts'
import { SessionList } from '#kit/record/session-list.tsx'
import { useEndSession } from '#kit/record/use-end-session.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Gender } from './gender.tsx'
import { formatStaffName, type Staff } from './use-staff-actions.tsx'

const { item, wide } = createDescriptions(StaffRow)
const at = (time: string | null) => <Time at={time} />
const ITEMS = [
  item('uid'),
  item('account'),
  item('realname'),
  item('nickname'),
  item('gender', (gender) => <Gender gender={gender} />),
  item('status', (status, { locked }) => (
    <>
      <EnabledTag on={status === 1} />
      {locked && <Tag color="error">已锁定</Tag>}
    </>
  )),
  item('mobileNo'),
  item('email'),
  wide('roleNames', (names) => (
    <TagList>
      {names.map((name) => (
        <Tag key={name}>{name}</Tag>
      ))}
    </TagList>
  )),
  item('lastLoginTime', at),
  item('lastLoginIp'),
  item('mfaEnabled'),
  item('pwdMustChange'),
  item('expireTime', (time) => (time ? at(time) : '长期有效')),
  item('createTime', at),
  wide('remark'),
]

/** Shows one account in a drawer: its fields, its sessions and its operation history. */
export function StaffDrawer(props: {
  rows: readonly Staff[]
  row: Staff | undefined
  onRow(row: Staff | undefined): void
}) {
  const can = useCan()
  return (
    <DetailDrawer {...props} rowKey="uid" title={formatStaffName}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Descriptions row={row} items={ITEMS} /> },
            ...(can(staff.sessions.access)
              ? [{ key: 'sessions', label: '登录会话', children: <StaffSessions key={row.uid} uid={row.uid} /> }]
              : []),
            createHistoryTab('account', row.uid),
          ]}
        />
      )}
    </DetailDrawer>
  )
}

/** Lists the sessions of an account. */
function StaffSessions({ uid }: { uid: number }) {
  const { data, error, refetch } = useRead(staff.sessions, { id: uid }, { quiet: true, keepPrevious: false })
  const forceOut = useEndSession(['tenant'])
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return <SessionList sessions={data.list} onEnd={forceOut} />
}
