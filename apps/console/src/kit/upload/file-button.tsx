import { cloneElement, type ReactElement, useId } from 'react'

interface FileButtonProps {
  /** What is clicked: an antd Button. */
  children: ReactElement<{ onClick?: () => void }>
  extensions: readonly string[]
  multiple?: boolean
  /** Names the hidden input for those who hear the page. */
  label: string
  onFiles(files: File[]): void
}

/** Lets a person choose files. The same file may be chosen twice in a row. */
export function FileButton({ children, extensions, multiple = false, label, onFiles }: FileButtonProps) {
  const id = useId()
  const choose = () => document.getElementById(id)?.click()
  return (
    <>
      <input
        id={id}
        type="file"
        // antd's forms make file inputs visible again, whatever `hidden` says.
        style={{ display: 'none' }}
        aria-label={label}
        multiple={multiple}
        accept={extensions.map((extension) => `.${extension}`).join(',')}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      {cloneElement(children, { onClick: choose })}
    </>
  )
}
