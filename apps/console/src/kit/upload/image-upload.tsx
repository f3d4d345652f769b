import { DeleteOutlined, LeftOutlined, PlusOutlined, RightOutlined } from '@ant-design/icons'
import { UPLOAD, type UploadRule } from '@oms/contract/core/upload.ts'
import { Button, Image } from 'antd'
import { useFileUrl } from '#core/api/file-url.ts'
import { useRunningUpload } from '#kit/form/save/running-uploads.ts'
import './upload.css'
import { FileButton } from './file-button.tsx'
import { FileProblems } from './file-problems.tsx'
import { describeFileRule } from './file-upload.tsx'
import { splitAddresses } from './stored-file.ts'
import { UploadOverlay } from './uploading.tsx'
import { useUploadBatch } from './use-upload-batch.ts'

interface ImageUploadProps {
  /** Set by Field. */
  id?: string
  /** Set by Field: comma-separated URLs. */
  value?: string
  onChange?: (value: string) => void
  rule?: UploadRule
  purpose?: 'image' | 'ticketImage'
}

/** Uploads pictures with thumbnails, zoom, reordering and removal; its value is one comma-separated text. */
export function ImageUpload({ id, value, onChange, rule = UPLOAD.image, purpose = 'image' }: ImageUploadProps) {
  const batch = useUploadBatch({ rule, purpose, value, onChange: (next) => onChange?.(next) })
  const { pending, addresses, take, remove, replace } = batch
  useRunningUpload(pending > 0, { id, noun: '图片' })
  return (
    <div className="kit-upload">
      <UploadOverlay pending={pending} />
      <Image.PreviewGroup>
        <ul className="kit-plain kit-row kit-images">
          {addresses.map((address, index) => (
            <li key={address}>
              <Picture address={address} name={`图片 ${index + 1}`} />
              <PictureToolbar
                name={`图片 ${index + 1}`}
                onLeft={index > 0 && (() => replace(moveItem(addresses, index, index - 1)))}
                onRight={index < addresses.length - 1 && (() => replace(moveItem(addresses, index, index + 1)))}
                onRemove={() => remove(address)}
              />
            </li>
          ))}
          {addresses.length < rule.maxCount && (
            <li>
              <FileButton label="选择图片" multiple={rule.maxCount > 1} extensions={rule.extensions} onFiles={take}>
                <button type="button" className="kit-image-add">
                  <PlusOutlined aria-hidden />
                  上传图片
                </button>
              </FileButton>
            </li>
          )}
        </ul>
      </Image.PreviewGroup>
      <FileProblems problems={batch.problems} />
      <p className="kit-muted">{describeFileRule(rule)}</p>
    </div>
  )
}

/** Shows uploaded pictures read-only, with zoom. */
export function ImageList({ value }: { value: string | null | undefined }) {
  const addresses = splitAddresses(value)
  if (addresses.length === 0) return <span className="kit-none">-</span>
  return (
    <Image.PreviewGroup>
      <ul className="kit-plain kit-row kit-images">
        {addresses.map((address, index) => (
          <li key={address}>
            <Picture address={address} name={`图片 ${index + 1}`} />
          </li>
        ))}
      </ul>
    </Image.PreviewGroup>
  )
}

function Picture({ address, name }: { address: string; name: string }) {
  const url = useFileUrl(address)
  return url ? <Image src={url} alt={name} width={88} height={88} /> : <span className="kit-image-empty" />
}

function PictureToolbar(props: {
  name: string
  onLeft: false | (() => void)
  onRight: false | (() => void)
  onRemove(): void
}) {
  const { name, onLeft, onRight, onRemove } = props
  return (
    <span className="kit-row">
      {onLeft && <Tool name={`前移 ${name}`} icon={<LeftOutlined />} onClick={onLeft} />}
      {onRight && <Tool name={`后移 ${name}`} icon={<RightOutlined />} onClick={onRight} />}
      <Tool name={`移除 ${name}`} icon={<DeleteOutlined />} onClick={onRemove} />
    </span>
  )
}

const Tool = ({ name, icon, onClick }: { name: string; icon: React.ReactNode; onClick(): void }) => (
  <Button type="text" size="small" aria-label={name} title={name} icon={icon} onClick={onClick} />
)

function moveItem(list: readonly string[], from: number, to: number) {
  const next = [...list]
  next.splice(to, 0, ...next.splice(from, 1))
  return next
}
