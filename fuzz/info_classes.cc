// Information of files, pipes and file systems, FSCTL inputs and outputs. The first byte picks.

#include "engine/wire/error_response.h"
#include "engine/wire/file_info.h"
#include "engine/wire/file_name_info.h"
#include "engine/wire/fs_info.h"
#include "engine/wire/fsctl.h"
#include "engine/wire/pipe_info.h"
#include "fuzz/support/round_trip.h"

namespace semblance::fuzz {
namespace {

using namespace wire;

template <typename Info>
void info(Bytes data) {
  round_trip<Info>(data);
}

// In this order for good: it is the first byte of every file in the corpus.
constexpr void (*kInfos[])(Bytes) = {
    info<FileBasicInformation>,
    info<FileStandardInformation>,
    info<FileInternalInformation>,
    info<FileEaInformation>,
    info<FileAccessInformation>,
    info<FileDispositionInformation>,
    info<FileDispositionInformationEx>,
    info<FilePositionInformation>,
    info<FileModeInformation>,
    info<FileAlignmentInformation>,
    info<FileAllocationInformation>,
    info<FileEndOfFileInformation>,
    info<FileValidDataLengthInformation>,
    info<FileNetworkOpenInformation>,
    info<FileAttributeTagInformation>,
    info<FileIdInformation>,
    info<FileCompressionInformation>,
    info<FilePipeInformation>,
    info<FilePipeLocalInformation>,
    info<FileNameInformation>,
    info<FileAlternateNameInformation>,
    info<FileNormalizedNameInformation>,
    info<FileRenameInformation>,
    info<FileLinkInformation>,
    info<FileRenameInformationEx>,
    info<FileAllInformation>,
    info<FileFsVolumeInformation>,
    info<FileFsSizeInformation>,
    info<FileFsDeviceInformation>,
    info<FileFsAttributeInformation>,
    info<FileFsControlInformation>,
    info<FileFsFullSizeInformation>,
    info<FileFsObjectIdInformation>,
    info<FileFsSectorSizeInformation>,
    info<ValidateNegotiateInfoRequest>,
    info<ValidateNegotiateInfoResponse>,
    info<ResumeKeyResponse>,
    info<CopyChunkRequest>,
    info<CopyChunkResponse>,
    info<SymbolicLinkError>,
};

}  // namespace
}  // namespace semblance::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace semblance::fuzz;
  if (size == 0) return 0;
  kInfos[data[0] % std::size(kInfos)]({data + 1, size - 1});
  return 0;
}
