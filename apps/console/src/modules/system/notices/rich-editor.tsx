import Image from '@tiptap/extension-image'
import TextAlign from '@tiptap/extension-text-align'
import { EditorContent, useEditor, useEditorState } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'
import { useEffect, useRef, type ReactNode, useState } from 'react'
import './notice.css'
import {
  AlignCenterOutlined,
  AlignLeftOutlined,
  AlignRightOutlined,
  BoldOutlined,
  FontSizeOutlined,
  ItalicOutlined,
  LinkOutlined,
  OrderedListOutlined,
  PictureOutlined,
  RedoOutlined,
  StrikethroughOutlined,
  UnderlineOutlined,
  UndoOutlined,
  UnorderedListOutlined,
} from '@ant-design/icons'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import type { Editor } from '@tiptap/core'
import { Button, Input, Popover, Space } from 'antd'
import { isApiError } from '#core/api/client.ts'
import { useRunningUpload } from '#kit/form/save/running-uploads.ts'
import { FileButton } from '#kit/upload/file-button.tsx'
import { FileProblems, useFileProblems } from '#kit/upload/file-problems.tsx'
import { sendFile } from '#kit/upload/use-upload-batch.ts'

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

interface Tool {
  readonly name: string
  readonly icon: ReactNode
  readonly active?: (editor: Editor) => boolean
  run(editor: Editor): void
}

const TOOLS: readonly Tool[] = [
  {
    name: '加粗',
    icon: <BoldOutlined />,
    active: (editor) => editor.isActive('bold'),
    run: (editor) => editor.chain().focus().toggleBold().run(),
  },
  {
    name: '斜体',
    icon: <ItalicOutlined />,
    active: (editor) => editor.isActive('italic'),
    run: (editor) => editor.chain().focus().toggleItalic().run(),
  },
  {
    name: '下划线',
    icon: <UnderlineOutlined />,
    active: (editor) => editor.isActive('underline'),
    run: (editor) => editor.chain().focus().toggleUnderline().run(),
  },
  {
    name: '删除线',
    icon: <StrikethroughOutlined />,
    active: (editor) => editor.isActive('strike'),
    run: (editor) => editor.chain().focus().toggleStrike().run(),
  },
  {
    name: '标题',
    icon: <FontSizeOutlined />,
    active: (editor) => editor.isActive('heading'),
    run: (editor) => editor.chain().focus().toggleHeading({ level: 2 }).run(),
  },
  {
    name: '项目列表',
    icon: <UnorderedListOutlined />,
    active: (editor) => editor.isActive('bulletList'),
    run: (editor) => editor.chain().focus().toggleBulletList().run(),
  },
  {
    name: '编号列表',
    icon: <OrderedListOutlined />,
    active: (editor) => editor.isActive('orderedList'),
    run: (editor) => editor.chain().focus().toggleOrderedList().run(),
  },
  ...(['left', 'center', 'right'] as const).map((side) => ({
    name: { left: '左对齐', center: '居中', right: '右对齐' }[side],
    icon: { left: <AlignLeftOutlined />, center: <AlignCenterOutlined />, right: <AlignRightOutlined /> }[side],
    active: (editor: Editor) => editor.isActive({ textAlign: side }),
    run: (editor: Editor) => void editor.chain().focus().setTextAlign(side).run(),
  })),
  { name: '撤销', icon: <UndoOutlined />, run: (editor) => editor.chain().focus().undo().run() },
  { name: '重做', icon: <RedoOutlined />, run: (editor) => editor.chain().focus().redo().run() },
]

/** Toolbar of the rich text editor. */
function RichTextToolbar({ editor }: { editor: Editor }) {
  const active = useEditorState({
    editor,
    selector: ({ editor }) => TOOLS.map((tool) => tool.active?.(editor) ?? false),
  })
  return (
    <div className="rich-text-toolbar" role="toolbar" aria-label="文字格式">
      {TOOLS.map(({ name, icon, run, active: toggles }, at) => (
        <Button
          key={name}
          type="text"
          size="small"
          icon={icon}
          aria-label={name}
          title={name}
          {...(toggles && { 'aria-pressed': active[at] ?? false })}
          onClick={() => run(editor)}
        />
      ))}
      <LinkTool editor={editor} />
      <PictureTool editor={editor} />
    </div>
  )
}

function LinkTool({ editor }: { editor: Editor }) {
  const [open, setOpen] = useState(false)
  const [href, setHref] = useState('')
  const show = (next: boolean) => {
    setHref(String(editor.getAttributes('link')['href'] ?? ''))
    setOpen(next)
  }
  const apply = () => {
    const chain = editor.chain().focus().extendMarkRange('link')
    if (href === '') chain.unsetLink().run()
    else if (editor.state.selection.empty) chain.insertContent({ type: 'text', text: href, marks: markOf(href) }).run()
    else chain.setLink({ href }).run()
    setOpen(false)
  }
  return (
    <Popover
      open={open}
      onOpenChange={show}
      trigger="click"
      content={
        <Space.Compact>
          <Input
            aria-label="链接地址"
            placeholder="https://"
            value={href}
            onChange={({ target }) => setHref(target.value.trim())}
            onPressEnter={apply}
          />
          <Button type="primary" onClick={apply}>
            确定
          </Button>
        </Space.Compact>
      }
    >
      <Button type="text" size="small" icon={<LinkOutlined />} aria-label="链接" title="链接" />
    </Popover>
  )
}

const markOf = (href: string) => [{ type: 'link', attrs: { href } }]

function PictureTool({ editor }: { editor: Editor }) {
  const [sending, setSending] = useState(false)
  const { problems, accept, add } = useFileProblems()
  useRunningUpload(sending, { noun: '图片' })
  const take = async ([file]: File[]) => {
    if (!file) return
    if (!accept(UPLOAD.image, file)) return
    setSending(true)
    try {
      const { url } = await sendFile('notice', file)
      editor.chain().focus().setImage({ src: url, alt: file.name }).run()
    } catch (error) {
      add(isApiError(error) ? error.message : '上传图片失败，请重试')
    }
    setSending(false)
  }
  return (
    <>
      <FileButton label="选择图片" extensions={UPLOAD.image.extensions} onFiles={take}>
        <Button type="text" size="small" icon={<PictureOutlined />} aria-label="图片" title="图片" loading={sending} />
      </FileButton>
      <FileProblems problems={problems} />
    </>
  )
}
