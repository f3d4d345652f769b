import { CloseOutlined, DownloadOutlined, PaperClipOutlined, UploadOutlined } from '@ant-design/icons'
import { files } from '@oms/contract/system/file.ts'
import { UPLOAD, type UploadRule } from '@oms/contract/core/upload.ts'
import { Button } from 'antd'
import { download } from '#core/api/download.ts'
import { formatBytes } from '#core/text/format.ts'
import { useRunningUpload } from '#kit/form/save/running-uploads.ts'
import './upload.css'
import { FileButton } from './file-button.tsx'
import { FileProblems } from './file-problems.tsx'
import { parseFileId } from './stored-file.ts'
import { UploadOverlay } from './uploading.tsx'
import { useUploadBatch } from './use-upload-batch.ts'

interface UploadFieldProps {
  /** Set by Field. */
  id?: string
  /** Set by Field: comma-separated URLs. */
  value?: string
  onChange?: (value: string) => void
  rule?: UploadRule
  purpose?: 'file' | 'notice' | 'ticket' | 'consent' | 'adProof' | 'agentDemo' | 'agentAudio' | 'agentVoucher'
  /** Names of the existing files by URL. */
  names?: Readonly<Record<string, string>>
}

/** Uploads documents; a control for Field with one comma-separated text as value. */
export function FileUpload({
  id,
  value,
  onChange,
  rule = UPLOAD.file,
  purpose = 'file',
  names = {},
}: UploadFieldProps) {
  const batch = useUploadBatch({ rule, purpose, value, onChange: (next) => onChange?.(next) })
  useRunningUpload(batch.pending > 0, { id })
  return (
    <div className="kit-upload">
      <UploadOverlay pending={batch.pending} />
      <FileButton label="选择文件" multiple={rule.maxCount > 1} extensions={rule.extensions} onFiles={batch.take}>
        <Button icon={<UploadOutlined />}>选择文件</Button>
      </FileButton>
      <FileProblems problems={batch.problems} />
      <p className="kit-muted">{describeFileRule(rule)}</p>
      <ul className="kit-plain kit-files">
        {batch.addresses.map((address, index) => (
          <FileLine
            key={address}
            address={address}
            name={batch.names[address] ?? names[address] ?? `附件 ${index + 1}`}
            onRemove={() => batch.remove(address)}
          />
        ))}
      </ul>
    </div>
  )
}

/** Lists uploaded documents read-only. */
export function FileList({ value, names = {} }: { value: string; names?: Readonly<Record<string, string>> }) {
  const addresses = value.split(',').filter(Boolean)
  if (addresses.length === 0) return <span className="kit-none">-</span>
  return (
    <ul className="kit-plain kit-files">
      {addresses.map((address, index) => (
        <FileLine key={address} address={address} name={names[address] ?? `附件 ${index + 1}`} />
      ))}
    </ul>
  )
}

function FileLine({ address, name, onRemove }: { address: string; name: string; onRemove?: () => void }) {
  const id = parseFileId(address)
  return (
    <li className="kit-row">
      <PaperClipOutlined aria-hidden />
      <span className="kit-main kit-ellipsis" title={name}>
        {name}
      </span>
      {id && (
        <Button
          type="text"
          size="small"
          aria-label={`下载 ${name}`}
          icon={<DownloadOutlined />}
          onClick={() => download(files.download, { id, download: '1' }, name)}
        />
      )}
      {onRemove && (
        <Button type="text" size="small" aria-label={`移除 ${name}`} icon={<CloseOutlined />} onClick={onRemove} />
      )}
    </li>
  )
}

/** Returns the accepted types and sizes of a rule as one line. */
export const describeFileRule = ({ extensions, maxBytes, maxCount }: UploadRule) =>
  [
    extensions.length > 0 && `支持 ${extensions.join('、')}`,
    `单个不超过 ${formatBytes(Math.ceil(maxBytes / 1024 / 1024) * 1024 * 1024)}`,
    maxCount > 1 && `最多 ${maxCount} 个`,
  ]
    .filter(Boolean)
    .join('，')
