import { storageStats, TroubleRow } from '@oms/contract/storage/statistics.ts'
import { useInnerList } from '#kit/list/use-list.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'

const { col } = createColumns(TroubleRow)
const COLUMNS = [
  col('sn', (sn, { deviceId }) => <PermittedLink to={`/device/apkManage/detail/${deviceId}`}>{sn}</PermittedLink>, {
    width: 150,
  }),
  col('channel', String, { width: 60, align: 'right' }),
  col('modelName', { width: 130 }),
  col('tenantName', { width: 170 }),
  col('packageName', { width: 160 }),
  col('uploadTime', time, { width: 150 }),
  col('askTime', time, { width: 150 }),
  col('troubleText', { width: 160 }),
]

/** Channels that should record continuously and are online, but uploaded nothing for two hours. */
export function SilentChannelTable({ tenantId }: { tenantId: number | undefined }) {
  const list = useInnerList(storageStats.trouble, { ...(tenantId !== undefined && { tenantId }) })
  return (
    <DataTable
      {...list.table}
      name="storage-trouble"
      rowKey="id"
      columns={COLUMNS}
      actions={
        <h2 className="kit-card-title">
          上传异常设备 <small>连续录像套餐生效、设备在线，但超过 2 小时没有上传</small>
        </h2>
      }
      empty={{ text: '没有上传异常的设备' }}
    />
  )
}
