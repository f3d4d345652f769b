import './package-frame.css'

// Document between the player and an HTML package. Its policy allows frames of this server only, so that a package
// cannot send anything away by navigating its own frame. `#{sha256}{search}` names the package.

const [, sha256, search = ''] = /^#([0-9a-f]{64})(\?[\w.%=&-]*)?$/.exec(location.hash) ?? []
if (sha256 !== undefined) {
  const frame = document.createElement('iframe')
  frame.src = `/player/pkg/${sha256}/${search}`
  document.body.append(frame)
}
