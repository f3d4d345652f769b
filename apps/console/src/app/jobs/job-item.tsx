import { CloseOutlined, DownloadOutlined } from '@ant-design/icons'
import { isJobOpen, type JobRow, jobs } from '@oms/contract/system/job.ts'
import { Button, Tag } from 'antd'
import { formatBytes } from '#core/text/format.ts'
import { useWrite } from '#core/api/query.ts'
import { ImportProblems } from '#kit/jobs/import-problems.tsx'
import { downloadJobFile } from '#kit/jobs/job-notification.tsx'
import { describeJobState } from '#kit/jobs/job-words.ts'

/** Renders one job: progress or result, and its actions. */
export function JobItem({ job }: { job: JobRow }) {
  const { title, state, percent, createTime, rows, error, report } = job
  const shown = describeJobState(job)
  return (
    <li className="job">
      <div className="job-head">
        <b className="job-title">{title}</b>
        <Tag color={shown.color}>{shown.text}</Tag>
        <JobAction job={job} />
      </div>
      {isJobOpen(state) && <Bar percent={percent} label={`${title}进度`} />}
      <p className="job-about">
        {createTime}
        {rows !== null && <span>{rows.toLocaleString('zh-CN')} 条</span>}
        <FileNote job={job} />
      </p>
      {error && <p className="job-error">{error}</p>}
      {report && <ImportProblems report={report} />}
    </li>
  )
}

const Bar = ({ percent, label }: { percent: number; label: string }) => (
  <div className="job-progress">
    <progress max={100} value={percent} aria-label={label} />
    <span>{percent}%</span>
  </div>
)

function FileNote({ job: { file } }: { job: JobRow }) {
  return file && <span>{file.expired ? '文件已过期' : formatBytes(file.size)}</span>
}

function JobAction({ job: { jobId, title, state, file, report } }: { job: JobRow }) {
  const cancel = useWrite(jobs.cancel)
  if (isJobOpen(state)) {
    return (
      <Button
        type="text"
        size="small"
        icon={<CloseOutlined />}
        loading={cancel.isPending}
        aria-label={`取消任务 ${title}`}
        onClick={() => cancel.mutate({ id: jobId })}
      >
        取消
      </Button>
    )
  }
  if (!file || file.expired) return null
  return (
    <Button
      type="link"
      size="small"
      icon={<DownloadOutlined />}
      aria-label={`下载 ${file.name}`}
      onClick={() => void downloadJobFile(file)}
    >
      {report ? '下载失败明细' : '下载'}
    </Button>
  )
}
