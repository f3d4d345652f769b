import { devices } from '@oms/contract/device/device-info.ts'
import { Tag, Timeline, Button, Empty } from 'antd'
import { Time } from '#kit/record/time.tsx'
import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { type ReactNode, useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'

export const AttributesTab = ({ id }: { id: number }) => (
  <DeviceDetailPart to={devices.attributes} input={{ id }}>
    {({ list, updateTime, wanted }) => (
      <>
        <p className="kit-hint">
          {updateTime ? (
            <>
              最近上报 <Time at={updateTime} />
            </>
          ) : (
            '设备还没有上报过属性'
          )}
          {wanted && '；下次连接时将重新上报'}
        </p>
        {list.length > 0 && (
          <table className="kit-table">
            <thead>
              <tr>
                <th>属性</th>
                <th>值</th>
              </tr>
            </thead>
            <tbody>
              {list.map(({ name, value }) => (
                <tr key={name}>
                  <td>{name}</td>
                  <td>{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </>
    )}
  </DeviceDetailPart>
)

const SOURCES: Readonly<Record<number, readonly [string, string]>> = {
  1: ['设备上报', 'blue'],
  2: ['升级任务', 'green'],
  3: ['人工录入', 'default'],
}

export function VersionsTab({ id }: { id: number }) {
  const showMore = useShowMore()
  return (
    <DeviceDetailPart to={devices.versions} input={{ id, pageNum: 1, pageSize: showMore.pageSize }}>
      {({ list, total }, turning) =>
        list.length === 0 ? (
          <EmptyPart text="还没有版本记录" />
        ) : (
          <>
            <Timeline
              items={list.map(({ id: key, verCode, verName, source, taskId, createTime }) => ({
                key,
                content: (
                  <>
                    <Time at={createTime} /> {verName ? `${verName}（${verCode}）` : verCode}{' '}
                    <Tag color={SOURCES[source]?.[1] ?? 'default'}>{SOURCES[source]?.[0] ?? source}</Tag>
                    {taskId !== null && `任务 ${taskId}`}
                  </>
                ),
              }))}
            />
            <ShowMoreButton {...showMore} total={total} turning={turning} />
          </>
        )
      }
    </DeviceDetailPart>
  )
}

export const PackagesTab = ({ id }: { id: number }) => (
  <DeviceDetailPart to={devices.packages} input={{ id }}>
    {({ list }) =>
      list.length === 0 ? (
        <EmptyPart text="设备没有上报软件包" />
      ) : (
        <table className="kit-table">
          <thead>
            <tr>
              <th>包名</th>
              <th>版本号</th>
              <th>上报时间</th>
            </tr>
          </thead>
          <tbody>
            {list.map(({ packageName, verCode, updateTime }) => (
              <tr key={packageName}>
                <td>{packageName}</td>
                <td>{verCode}</td>
                <td>
                  <Time at={updateTime} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )
    }
  </DeviceDetailPart>
)

export const GroupsTab = ({ id }: { id: number }) => (
  <DeviceDetailPart to={devices.groupsOf} input={{ id }}>
    {({ list }) =>
      list.length === 0 ? (
        <EmptyPart text="设备不在任何分组中" />
      ) : (
        <div className="kit-tags">
          {list.map(({ id: groupId, groupName, kind }) => (
            <Tag key={groupId} color={kind === 2 ? 'purple' : 'blue'}>
              {groupName}
              {kind === 2 && '（动态）'}
            </Tag>
          ))}
        </div>
      )
    }
  </DeviceDetailPart>
)

/** Part of the device page with its own request, loading state and retry. */
export function DeviceDetailPart<E extends Endpoint>({
  to,
  input,
  children,
}: {
  to: E
  input: InputOf<E>
  children: (data: ResultOf<E>, turning: boolean) => ReactNode
}) {
  const { data, error, refetch, isPlaceholderData } = useRead(to, input, { quiet: true })
  if (data === undefined) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return children(data as ResultOf<E>, isPlaceholderData)
}

export const EmptyPart = ({ text }: { text: string }) => <Empty description={text} />

const STEP = 20
const MAX_PART_ROWS = 200

/** List with a "show more" button. */
export function useShowMore() {
  const [pageSize, setPageSize] = useState(STEP)
  return { pageSize, onShowMore: () => setPageSize(Math.min(pageSize * 2, MAX_PART_ROWS)) }
}

export function ShowMoreButton(props: { pageSize: number; total: number; turning: boolean; onShowMore(): void }) {
  const { pageSize, total, turning, onShowMore } = props
  if (total <= pageSize || pageSize >= MAX_PART_ROWS) return null
  return (
    <Button block loading={turning} onClick={onShowMore}>
      更多记录
    </Button>
  )
}
