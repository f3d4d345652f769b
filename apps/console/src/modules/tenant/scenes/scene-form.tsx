import { SCENE_COVER, SceneInput, scene } from '@oms/contract/tenant/scene.ts'
import { Drawer, Form } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { Field, NoteField, NumberField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { LoadingDrawer } from '#kit/feedback/loading-layer.tsx'
import { GrantTree } from '#kit/tree/grant-tree.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'

type Detail = z.output<(typeof scene.get)['result']>
type Tree = z.output<(typeof scene.permTree)['result']>['menus']
type AddProps = Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>

/** Form that creates a scene. A select of scenes passes `onCreated` to receive the new scene. */
export function SceneAddForm({ onClose, onCreated }: AddProps) {
  const tree = useRead(scene.permTree, {}, { quiet: true })
  if (!tree.data) return <LoadingDrawer title="新增业务场景" reads={[tree]} onClose={onClose} />
  return <AddForm tree={tree.data.menus} onClose={onClose} {...(onCreated && { onCreated })} />
}

function AddForm({ tree, onClose, onCreated }: AddProps & { tree: Tree }) {
  const { drawer, footer, form } = useFormDrawer(scene.create, {
    onClose,
    onSaved: ({ id }, { sceneName }) => onCreated?.({ id, name: sceneName }),
    initial: { sort: 0, isDefault: 0 },
  })
  return (
    <Drawer {...drawer} title="新增业务场景" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields tree={tree} />
      </Form>
    </Drawer>
  )
}

/** Form that edits a scene. */
export function SceneEditForm({ id, onClose }: { id: number; onClose(): void }) {
  const tree = useRead(scene.permTree, {}, { quiet: true })
  const menus = tree.data?.menus
  if (!menus) return <LoadingDrawer title="编辑业务场景" reads={[tree]} onClose={onClose} />
  return (
    <FreshRecord
      of={id}
      read={() => call(scene.get, { id }, { quiet: true })}
      layer="drawer"
      title="编辑业务场景"
      onClose={onClose}
    >
      {(loaded) => <EditForm loaded={loaded} tree={menus} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ loaded, tree, onClose }: { loaded: Detail; tree: Tree; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(scene.update, {
    onClose,
    initial: loaded,
    latest: () => call(scene.get, { id: loaded.id }),
  })
  const effect = loaded.tenantCount > 0 && `保存后立即对 ${loaded.tenantCount} 个客户生效`
  return (
    <Drawer
      {...drawer}
      title={`编辑业务场景「${loaded.sceneName}」`}
      footer={<FormFooter {...footer}>{effect}</FormFooter>}
    >
      <Form {...form}>
        <Fields tree={tree} />
      </Form>
    </Drawer>
  )
}

function Fields({ tree }: { tree: Tree }) {
  return (
    <>
      <TextField of={SceneInput} name="sceneName" />
      <TextField of={SceneInput} name="sceneCode" />
      <NoteField of={SceneInput} name="description" rows={2} />
      <Field of={SceneInput} name="cover">
        <ImageUpload rule={SCENE_COVER} />
      </Field>
      <div className="kit-pair">
        <NumberField of={SceneInput} name="sort" />
        <SwitchField of={SceneInput} name="isDefault" on="默认" off="不默认" hint="新客户自动使用默认场景" />
      </div>
      <Form.Item name="menuIds" label="菜单权限">
        <GrantTree menus={tree} height={420} label="菜单权限" />
      </Form.Item>
      <NoteField of={SceneInput} name="remark" rows={2} />
    </>
  )
}
