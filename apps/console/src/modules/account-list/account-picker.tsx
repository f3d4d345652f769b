import { accounts } from '@oms/contract/account-list/account-list.ts'
import { Empty, Input } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { Panel } from '#kit/record/page.tsx'
import '#kit/record/record-history.css'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { formatAccountName } from './use-account-actions.tsx'

/** Selects the account of the overview. */
export function AccountPicker() {
  const [account, setText] = useKeyword()
  const asked = { account, pageNum: 1, pageSize: 10, orderByColumn: 'lastLoginTime', isAsc: 'desc' } as const
  const read = useRead(accounts.list, asked, { quiet: true })
  const { data } = read
  return (
    <Panel title="选择账号">
      <Input.Search
        allowClear
        autoFocus
        aria-label="账号"
        placeholder="输入账号查找"
        style={{ maxWidth: 360, marginBottom: 12 }}
        onChange={({ target }) => setText(target.value)}
      />
      {!data && <Waiting reads={[read]} rows={4} />}
      {data?.list.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有找到账号" />}
      {data && data.list.length > 0 && (
        <ul className="kit-sessions">
          {data.list.map((row) => (
            <li key={row.uid}>
              <Link to={`/userManage/index?uid=${row.uid}`}>{formatAccountName(row)}</Link>
              <span className="kit-none">{row.tenantName || '未加入客户'}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
