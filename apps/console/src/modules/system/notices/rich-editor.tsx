import Image from '@tiptap/extension-image'
import TextAlign from '@tiptap/extension-text-align'
import { EditorContent, useEditor } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'
import { useEffect, useRef } from 'react'
import { RichTextToolbar } from './rich-text-toolbar.tsx'
import './notice.css'

const EXTENSIONS = [
  StarterKit.configure({ heading: { levels: [2, 3] }, link: { openOnClick: false, protocols: ['http', 'https'] } }),
  Image,
  TextAlign.configure({ types: ['heading', 'paragraph'] }),
]

interface Props {
  label: string
  id?: string
  value?: string
  onChange?: (html: string) => void
}

/**
 * Rich text editor for the HTML that a notice may contain. As a form control its value is empty when the text is empty.
 */
export function RichEditor({ label, id, value = '', onChange }: Props) {
  const written = useRef(value)
  const editor = useEditor({
    extensions: EXTENSIONS,
    content: value,
    editorProps: {
      attributes: { role: 'textbox', 'aria-label': label, 'aria-multiline': 'true', ...(id && { id }) },
    },
    onUpdate: ({ editor }) => {
      written.current = editor.isEmpty ? '' : editor.getHTML()
      onChange?.(written.current)
    },
  })
  useEffect(() => {
    // Applies a value that the form received from outside, such as a draft or the latest saved version.
    if (value === written.current) return
    written.current = value
    editor.commands.setContent(value, { emitUpdate: false })
  }, [editor, value])
  return (
    <div className="rich-editor">
      <RichTextToolbar editor={editor} />
      <EditorContent editor={editor} />
    </div>
  )
}
