// What the validation layer says, where GPUPOST_VALIDATE=1 has turned it on.
#pragma once

namespace gpupost {

// Its messages so far.
int validation_message_count();

}  // namespace gpupost
