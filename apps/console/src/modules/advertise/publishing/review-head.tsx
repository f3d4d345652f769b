import { PlaySquareOutlined } from '@ant-design/icons'
import { programOptions } from '@oms/contract/advertise/program-options.ts'
import type { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { INSERT_MODE_NAME } from '@oms/contract/advertise/program-words.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Button, Tag } from 'antd'
import { type Ref, useRef, useState } from 'react'
import { Allowed } from '#core/auth/session.tsx'
import { Time } from '#kit/record/time.tsx'
import { ProgramPreview } from '../programs/program-preview.tsx'

interface Props {
  readonly id: number
  readonly review: ResultOf<typeof programPublish.review>
  readonly ref: Ref<HTMLDivElement>
}

/** Shows the submitter of a version, with a button that opens the preview. */
export function ReviewHead({ id, review: { version, manifest }, ref }: Props) {
  const [isPreviewing, setPreviewing] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const closePreview = () => {
    setPreviewing(false)
    // The dialog returns no focus when it is closed while it opens.
    requestAnimationFrame(() => button.current?.focus())
  }
  const { publishByName, publishTime, insertMode, isDefault } = version
  return (
    <div ref={ref} tabIndex={-1} className="kit-row kit-note" style={{ outline: 'none' }}>
      <span>
        {publishByName || '已删除的账号'} 提交于 <Time at={publishTime} />
      </span>
      <span className="kit-tags">
        {isDefault === 1 && <Tag color="blue">默认</Tag>}
        {insertMode > 0 && <Tag color="volcano">{INSERT_MODE_NAME[insertMode as 1]}</Tag>}
      </span>
      <Allowed to={programOptions.files}>
        <Button ref={button} className="kit-end" icon={<PlaySquareOutlined />} onClick={() => setPreviewing(true)}>
          预览
        </Button>
      </Allowed>
      {isPreviewing && <ProgramPreview manifest={manifest} id={id} onClose={closePreview} />}
    </div>
  )
}
