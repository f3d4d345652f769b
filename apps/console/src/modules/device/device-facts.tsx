import { devices } from '@oms/contract/device/device-info.ts'
import { Tag, Timeline } from 'antd'
import { Time } from '#kit/record/time.tsx'
import { ShowMoreButton, EmptyPart, DeviceDetailPart, useShowMore } from './device-part.tsx'

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
