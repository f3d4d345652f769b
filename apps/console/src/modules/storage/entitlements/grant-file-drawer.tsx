import { DownloadOutlined } from '@ant-design/icons'
import { type GrantFileDetail, GrantFileRow, storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Button } from 'antd'
import { download } from '#core/api/download.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { ProblemList } from '#kit/jobs/import-problems.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer, type RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { time } from '#kit/record/time.tsx'
import { GrantFileCheck } from './grant-file-check.tsx'
import { GrantFileState } from './grant-file-state.tsx'

const { item, wide } = createDescriptions(GrantFileRow)
const count = (value: number) => value.toLocaleString()
const ITEMS = [
  item('packageName'),
  item('state', (state) => <GrantFileState state={state} />),
  item('lines', count),
  item('devices', count),
  item('copies', count),
  item('listPrice', formatCurrency),
  item('done', count),
  item('failed', count),
  item('effectMode'),
  item('source'),
  item('createName'),
  item('createTime', time),
  wide('reason'),
]
const AUDIT_ITEMS = [item('auditName'), item('auditTime', time), wide('auditRemark')]

/** Batch drawer: facts of the file, and the report of its run. */
export function GrantFileDrawer(props: RecordNavigation<GrantFileRow>) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ fileName }) => fileName}>
      {(row) => (
        <>
          <Descriptions row={row} items={row.auditTime ? [...ITEMS, ...AUDIT_ITEMS] : ITEMS} />
          {row.checked && row.state !== 2 && <GrantFileCheck check={row.checked} lines={row.lines} />}
          <section>
            <h3 className="kit-heading">执行结果</h3>
            <Report key={row.id} row={row} />
          </section>
        </>
      )}
    </DetailDrawer>
  )
}

function Report({ row }: { row: GrantFileRow }) {
  const { data, error, refetch } = useRead(storageGrantFiles.get, { id: row.id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  const { problems, hasFile } = data
  return (
    <>
      <p className="kit-hint">{resultOf(data)}</p>
      <ProblemList rows={problems} failed={data.row.failed} />
      {hasFile === 1 && (
        <Button
          icon={<DownloadOutlined />}
          onClick={() => void download(storageGrantFiles.failedLines, { id: row.id }, `失败明细-${row.fileName}`)}
        >
          下载失败明细
        </Button>
      )}
    </>
  )
}

const NOT_RUN: Readonly<Record<number, string>> = {
  0: '等待他人审批，审批通过后执行',
  1: '正在执行，完成后在此查看每行的结果',
  3: '已驳回，没有执行',
  4: '执行失败，没有开通任何设备，可由审批人重新执行',
}

function resultOf({ row: { state, lines, done, failed }, problems }: GrantFileDetail) {
  const notRun = NOT_RUN[state]
  if (notRun) return notRun
  const sums = `共 ${count(lines)} 行：成功 ${count(done)} 行，失败 ${count(failed)} 行`
  // Batches that ran before reports were stored have no list of problems.
  return failed > 0 && problems.length === 0 ? `${sums}（该批次执行时尚未保存失败原因）` : sums
}
