import { CheckCircleFilled, UploadOutlined } from '@ant-design/icons'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Alert, Button, Popconfirm, Progress as Bar, Space } from 'antd'
import { formatBytes, formatDuration } from '#core/text/format.ts'
import { useRunningUpload } from '#kit/form/save/running-uploads.ts'
import { CopyText } from '#kit/record/copy-text.tsx'
import './upload.css'
import { FileButton } from './file-button.tsx'
import { FileProblems } from './file-problems.tsx'
import { describeFileRule } from './file-upload.tsx'
import type { Phase, Progress } from './resumable.ts'
import type { StoredFile } from './stored-file.ts'
import { useComponentUpload } from './use-component-upload.ts'

interface ComponentUploadProps {
  /** Set by the form item. */
  id?: string | undefined
  /** Distinguishes the uploads of one page, also after a reload: `ota:12:0`. */
  place: string
  /** The component's current file. */
  value?: StoredFile | undefined
  onChange(file: StoredFile): void
}

/** Uploads a large component in parts with progress, speed and pause; continues after a reload or a lost connection. */
export function ComponentUpload({ id, place, value, onChange }: ComponentUploadProps) {
  const upload = useComponentUpload(place, onChange)
  const { progress, running, problems, unfinished } = upload
  useRunningUpload(running, { id, noun: '组件' })
  return (
    <div className="kit-upload">
      {!running && (
        <FileButton label="选择组件文件" extensions={[]} onFiles={([file]) => void (file && upload.start(file))}>
          <Button icon={<UploadOutlined />}>{value ? '重新上传' : '上传组件'}</Button>
        </FileButton>
      )}
      {!running && !value && <p className="kit-muted">{describeFileRule(UPLOAD.component)}，支持断点续传</p>}
      {unfinished && (
        <Alert
          type="info"
          showIcon
          title={`「${unfinished.name}」上次传到 ${percentOf(unfinished)}%，重新选择该文件即可继续`}
        />
      )}
      {running && progress && <Running {...upload} progress={progress} />}
      <FileProblems problems={problems} />
      {progress?.phase === 'failed' && <Alert type="error" showIcon title={progress.message} />}
      {value && !running && <Stored file={value} />}
    </div>
  )
}

const PHASE: Readonly<Record<Phase, string>> = {
  sending: '上传中',
  waiting: '网络中断，恢复后自动继续',
  paused: '已暂停',
  finishing: '正在校验',
  done: '已完成',
  failed: '上传失败',
  cancelled: '已取消',
}

function Running(props: { name: string; progress: Progress; pause(): void; resume(): void; cancel(): void }) {
  const { name, progress, pause, resume, cancel } = props
  const { phase, sent, total, speed } = progress
  return (
    <div className="kit-box" role="group" aria-label={`上传 ${name}`}>
      <div className="kit-row kit-apart">
        <span className="kit-main kit-ellipsis" title={name}>
          {name}
        </span>
        <Space size={4}>
          {phase === 'paused' ? (
            <Button type="link" size="small" onClick={resume}>
              继续
            </Button>
          ) : (
            <Button type="link" size="small" disabled={phase === 'finishing'} onClick={pause}>
              暂停
            </Button>
          )}
          <Popconfirm title="取消上传？已上传的部分将被清除。" okText="取消上传" cancelText="继续" onConfirm={cancel}>
            <Button type="link" size="small" danger disabled={phase === 'finishing'}>
              取消
            </Button>
          </Popconfirm>
        </Space>
      </div>
      <Bar
        percent={percentOf(progress)}
        status={phase === 'paused' || phase === 'waiting' ? 'normal' : 'active'}
        aria-label={`上传进度 ${name}`}
      />
      <div className="kit-muted kit-number" role="status">
        {PHASE[phase]} · {formatBytes(sent)} / {formatBytes(total)}
        {speed > 0 && ` · ${formatBytes(speed)}/s · 约剩 ${formatDuration((total - sent) / speed)}`}
      </div>
    </div>
  )
}

function Stored({ file }: { file: StoredFile }) {
  return (
    <dl className="kit-facts">
      <div>
        <dt>文件</dt>
        <dd>
          <CheckCircleFilled className="kit-good" aria-hidden /> {file.name}{' '}
          <small className="kit-muted">{formatBytes(file.size)}</small>
        </dd>
      </div>
      <div>
        <dt>MD5</dt>
        <dd>
          <CopyText text={file.md5} />
        </dd>
      </div>
      <div>
        <dt>SHA-256</dt>
        <dd>
          <CopyText text={file.sha256} />
        </dd>
      </div>
    </dl>
  )
}

const percentOf = ({ sent, total }: { sent: number; total: number }) =>
  total > 0 ? Math.floor((sent / total) * 100) : 0
