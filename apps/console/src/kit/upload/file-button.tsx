import { listChoosableExtensions } from '@oms/contract/core/upload.ts'
import { cloneElement, type ReactElement, useId } from 'react'

interface FileButtonProps {
  /** The antd Button to click. */
  children: ReactElement<{ onClick?: () => void }>
  extensions: readonly string[]
  multiple?: boolean
  /** Accessible name of the hidden input. */
  label: string
  onFiles(files: File[]): void
}

/** Opens the file chooser. The same file can be chosen twice in a row. */
export function FileButton({ children, extensions, multiple = false, label, onFiles }: FileButtonProps) {
  const id = useId()
  const choose = () => document.getElementById(id)?.click()
  return (
    <>
      <input
        id={id}
        type="file"
        // Hidden by style, because antd's form CSS overrides the attribute `hidden` of file inputs.
        style={{ display: 'none' }}
        aria-label={label}
        multiple={multiple}
        accept={listChoosableExtensions(extensions)
          .map((extension) => `.${extension}`)
          .join(',')}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      {cloneElement(children, { onClick: choose })}
    </>
  )
}
